import type { ExecutorOptions } from '../executor-options.ts'
import { runInTerminal } from './in-terminal.ts'
import { withTerminal } from './with-terminal.ts'

/**
 * Runs a command in a sandbox, in the user's terminal.
 *
 * @param command - Default: `bash` if the sandbox has it, otherwise `sh`.
 * @returns the exit code of the command, or of the stop signal.
 */
export function shell(command: readonly string[], options: ExecutorOptions): Promise<number> {
  return withTerminal(options, {
    name: 'fenced shell',
    async work(sandbox, signal) {
      const [program, ...words] = command
      const found = program ?? (await sandbox.which(['bash'])).get('bash') ?? '/bin/sh'
      return runInTerminal(sandbox, [found, ...words], signal)
    },
  })
}
