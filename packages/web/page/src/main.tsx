import { createRoot } from 'react-dom/client'
import { enter } from './api.ts'
import { App } from './app.tsx'
import { TokenForm } from './token-form.tsx'

const root = createRoot(document.getElementById('root') as HTMLElement)

async function open(): Promise<void> {
  try {
    root.render(<App first={await enter()} />)
  } catch (error) {
    root.render(
      <main className="closed">
        <h1>Fenced</h1>
        <p role="alert">{error instanceof Error ? error.message : String(error)}</p>
        <TokenForm entered={() => void open()} />
      </main>,
    )
  }
}

await open()
