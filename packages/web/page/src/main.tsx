import { createRoot } from 'react-dom/client'
import { enter } from './api.ts'
import { App } from './app.tsx'

const root = createRoot(document.getElementById('root') as HTMLElement)
try {
  await enter()
  root.render(<App />)
} catch (error) {
  root.render(
    <main className="closed">
      <h1>Fenced</h1>
      <p>{error instanceof Error ? error.message : String(error)}</p>
    </main>,
  )
}
