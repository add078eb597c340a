import type { CodeExecutor } from '@fenced/core'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import { terminalQuestion } from '../choose/ask-at-terminal.ts'
import { chooseExecutor } from '../choose/choose-executor.ts'
import { createExecutor, executorText } from '../executor.ts'
import type { ExecutorOptions } from '../executor-options.ts'
import { note } from '../run/output-printer.ts'
import { untilStopped } from '../stop-signals.ts'
import { UserError } from '../user-error.ts'

/** What runs in the user's terminal. */
interface TerminalWork {
  /** The command or option that needs a terminal. */
  readonly name: string
  /** @returns the exit code. */
  work(sandbox: ExecutorSandbox, signal: AbortSignal): Promise<number>
}

/**
 * Starts a sandbox for programs in the user's terminal, and stops it at their end.
 *
 * @returns the exit code of the work, or of the stop signal.
 * @throws UserError without a terminal, and for an executor whose programs are not processes of a sandbox.
 */
export function withTerminal(
  options: ExecutorOptions & { readonly quiet?: boolean },
  { name, work }: TerminalWork,
): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UserError(`${name} needs a terminal: standard input and output must not be redirected.`)
  return untilStopped(async (signal) => {
    const askPerson = terminalQuestion({ signal, isStdinTaken: false })
    const chosen = await chooseExecutor(options, { signal, askPerson })
    const executor = await createExecutor(chosen.choice)
    try {
      const { sandbox } = executor
      if (sandbox === undefined)
        throw new UserError(
          `${executor.name} has no terminals. Use --executor local, --executor docker or --executor kubernetes.`,
        )
      await executor.start({ signal })
      await using _ = await copiedFiles(executor, options)
      const files = options.workDir === undefined ? ' Its files are temporary: --work-dir keeps them.' : ''
      if (options.quiet !== true) await note(`Code runs ${executorText(executor)}. ${chosen.reason}${files}`)
      return await work(sandbox, signal)
    } finally {
      await executor.stop()
    }
  })
}

/** Where files are copied, a block brings those of `--work-dir`, and another block takes the changed ones back. */
async function copiedFiles(executor: CodeExecutor, { workDir }: ExecutorOptions): Promise<AsyncDisposable> {
  const isCopied = workDir !== undefined && executor.sandbox?.shared === undefined
  const copy = async () => {
    if (!isCopied) return
    const { blocks } = await executor.execute([{ language: 'sh', code: ':' }])
    for (const { message } of blocks.flatMap(({ notices }) => notices)) await note(message)
  }
  await copy()
  return { [Symbol.asyncDispose]: copy }
}
