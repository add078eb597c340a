import type { CodeExecutor } from '@fenced/core'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import { visibleName } from '@fenced/errors/text'
import { terminalQuestion } from '../choose/ask-at-terminal.ts'
import { chooseExecutor } from '../choose/choose-executor.ts'
import { createExecutor, executorText } from '../executor.ts'
import type { ExecutorOptions } from '../executor-options.ts'
import { note } from '../run/output-printer.ts'
import { untilStopped } from '../stop-signals.ts'
import { requireTerminal, runInTerminal, sandboxOf } from './in-terminal.ts'

/**
 * Runs a command in a sandbox, in the user's terminal.
 *
 * @param command - Default: `bash`, or `sh` where there is none.
 * @returns the exit code of the command, or of the stop signal.
 */
export function shell(command: readonly string[], options: ExecutorOptions): Promise<number> {
  requireTerminal('fenced shell')
  return untilStopped(async (signal) => {
    const askPerson = terminalQuestion({ signal, isStdinTaken: false })
    const chosen = await chooseExecutor(options, { signal, askPerson })
    const executor = await createExecutor(chosen.choice)
    try {
      const sandbox = sandboxOf(executor)
      await executor.start({ signal })
      await using _ = await copiedFiles(executor, options)
      const [program = await shellOf(sandbox), ...words] = command
      const files = options.workDir === undefined ? 'Its files are temporary: --work-dir keeps them.' : ''
      await note(`${visibleName(program)} runs ${executorText(executor)}. ${chosen.reason} ${files}`.trim())
      return await runInTerminal(sandbox, [program, ...words], signal)
    } finally {
      await executor.stop()
    }
  })
}

async function shellOf(sandbox: ExecutorSandbox): Promise<string> {
  return (await sandbox.which(['bash'])).get('bash') ?? '/bin/sh'
}

/** Where files are copied, a block brings those of `--work-dir`, and another block takes the changed ones back. */
async function copiedFiles(executor: CodeExecutor, { workDir }: ExecutorOptions): Promise<AsyncDisposable> {
  const isCopied = workDir !== undefined && executor.sandbox?.shared === undefined
  const copy = async () => {
    if (isCopied) await executor.execute([{ language: 'sh', code: ':' }])
  }
  await copy()
  return { [Symbol.asyncDispose]: copy }
}
