import type { SandboxProcess } from '@fenced/core/sandbox'
import { onAbort } from '@fenced/shared'
import { noTerminal } from './no-terminal.ts'
import { startPythonTerminal } from './python-terminal.ts'
import { startScriptTerminal } from './script-terminal.ts'
import type { TerminalOptions, TerminalPlace } from './terminal-request.ts'

/** Programs that make a terminal. Best first. Sandboxes know where Python is, and look for the others when they are needed. */
const makers = [
  { names: ['python3', 'python'], start: startPythonTerminal },
  { names: ['script'], start: startScriptTerminal },
]

/** See `spawnInTerminal`. */
export async function makeTerminal(
  command: readonly [string, ...string[]],
  options: TerminalOptions,
  place: TerminalPlace,
): Promise<SandboxProcess> {
  const { signal } = options
  signal?.throwIfAborted()
  const starting = new AbortController()
  using _ = onAbort(signal, () => starting.abort(signal?.reason))
  const spawn: TerminalPlace['spawn'] = (...given) => place.spawn(...given)
  const problems: string[] = []
  for (const { names, start } of makers) {
    const found = await place.which(names, { signal: starting.signal })
    for (const program of names.flatMap((name) => found.get(name) ?? [])) {
      const started = await start(program, { spawn, command, options, starting: starting.signal })
      signal?.throwIfAborted()
      if (!('unusable' in started)) return started
      problems.push(`${program} does not work: ${started.unusable}`)
    }
  }
  if (problems.length === 0) problems.push('looked for python3, python, script')
  throw noTerminal('The sandbox has no program that makes a terminal', problems)
}
