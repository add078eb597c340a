// What pnpm prints of an installation is left out (see pnpm-workspace.yaml): who sits at a terminal is told why they wait.
import { writeFileSync } from 'node:fs'

try {
  writeFileSync(
    '/dev/tty',
    'Installing what the workspace needs. The first time it takes half a minute or so.\n',
  )
} catch {
  // There is no terminal.
}
