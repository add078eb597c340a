import type { SandboxProcess } from '@fenced/core/sandbox'
import type { TerminalOptions, TerminalPlace } from './terminal-request.ts'

/**
 * Starts a command in a new terminal. An ordinary process in the sandbox makes it, so every sandbox with Python or `script` has
 * terminals, and a terminal ends with that process.
 *
 * @throws FencedError `NO_TERMINAL`; errors from `spawn` and `which`.
 */
export async function spawnInTerminal(
  command: readonly [string, ...string[]],
  options: TerminalOptions,
  place: TerminalPlace,
): Promise<SandboxProcess> {
  // Few sandboxes have a terminal.
  const { makeTerminal } = await import('./make-terminal.ts')
  return makeTerminal(command, options, place)
}
