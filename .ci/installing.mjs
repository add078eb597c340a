// Runs before and after an installation. What pnpm prints of it is left out (see pnpm-workspace.yaml): who sits at a
// terminal sees why they wait. `testing/budget-reporter.ts` says at the end of the tests how many seconds it took.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const path = '.vitest/installation.json'

if (process.argv[2] === 'begins') {
  mkdirSync('.vitest', { recursive: true })
  writeFileSync(path, JSON.stringify({ begun: Date.now() }))
  tell('Installing what the workspace needs. The first time it takes half a minute or so.\n')
} else if (existsSync(path)) {
  const { begun } = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ begun, seconds: (Date.now() - begun) / 1_000 }))
}

function tell(text) {
  try {
    writeFileSync('/dev/tty', text)
  } catch {
    // There is no terminal.
  }
}
