import { type CodeExecutor, executeStream } from '@fenced/core'
import { errorMessage } from '@fenced/core/internal'
import { type ForwardedPort, forwardPort } from '@fenced/sandbox'
import { createExecutor, type ExecutorChoice } from '../executor.ts'
import { readText } from '../read-text.ts'
import { listenForStop } from '../stop-signals.ts'
import { UserError } from '../user-error.ts'
import { LinePrinter } from './line-printer.ts'
import { note, OutputPrinter } from './output-printer.ts'
import { TerminalQuestions } from './terminal-questions.ts'

export interface RunOptions extends ExecutorChoice {
  readonly json: boolean
  readonly quiet: boolean
  readonly reasoning: boolean
  readonly port?: number
}

/** Runs the code blocks of a text as they come. @returns the exit code of the block that ended it, or of who did. */
export async function run(path: string, options: RunOptions): Promise<number> {
  using stop = listenForStop()
  using questions = options.network?.asks ? new TerminalQuestions({ isStdinTaken: path === '-' }) : undefined
  const executor = await createExecutor(options)
  const printer = options.json
    ? new LinePrinter()
    : new OutputPrinter({ isQuiet: options.quiet, keepsFiles: options.workDir !== undefined })
  try {
    await using _ =
      options.port === undefined
        ? undefined
        : await forward(executor, options.port, { quiet: options.quiet, signal: stop.signal })
    const execution = executeStream(executor, readText(path), {
      signal: stop.signal,
      startsInReasoning: options.reasoning,
      approveNetwork: questions?.approve,
    })
    printer.begin(executor)
    for await (const event of execution) {
      await questions?.allAnswered()
      await printer.print(event)
    }
    const { exitCode } = await execution
    return stop.exitCode ?? exitCode
  } catch (error) {
    if (stop.exitCode === undefined) throw error
    return stop.exitCode
  } finally {
    await executor.stop()
  }
}

/** Says where the port of the code can be opened, until it is disposed of. */
async function forward(
  executor: CodeExecutor,
  port: number,
  { quiet, signal }: { quiet: boolean; signal: AbortSignal },
): Promise<ForwardedPort> {
  const say = (message: string) => (quiet ? undefined : note(message))
  if (executor.sandbox === undefined) throw new UserError(`${executor.name} has no ports that can be opened.`)
  await executor.start({ signal })
  const forwarded = await forwardPort(executor.sandbox, port, {
    onError: (error) => void say(`A browser got no answer. ${errorMessage(error)}`),
    signal,
  })
  await say(`Port ${port} of the code can be opened at ${forwarded.url}`)
  return forwarded
}
