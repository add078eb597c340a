import type { SandboxProcess } from '@fenced/core/sandbox'
import { onAbort } from '@fenced/shared'
import { noTerminal } from './no-terminal.ts'
import { startPythonTerminal } from './python-terminal.ts'
import { startScriptTerminal } from './script-terminal.ts'
import type { TerminalOptions, TerminalPlace } from './terminal-request.ts'

/** Programs that make a terminal. Best first. */
const makers = { python3: startPythonTerminal, python: startPythonTerminal, script: startScriptTerminal }

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
  const names = Object.keys(makers)
  const found = await place.which(names, { signal: starting.signal })
  const spawn: TerminalPlace['spawn'] = (...given) => place.spawn(...given)
  const problems: string[] = []
  for (const [name, start] of Object.entries(makers)) {
    const program = found.get(name)
    if (program === undefined) continue
    const started = await start(program, { spawn, command, options, starting: starting.signal })
    signal?.throwIfAborted()
    if (!('unusable' in started)) return started
    problems.push(`${program} does not work: ${started.unusable}`)
  }
  if (problems.length === 0) problems.push(`looked for ${names.join(', ')}`)
  throw noTerminal('The sandbox has no program that makes a terminal', problems)
}
