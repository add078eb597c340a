import { type CodeExecutor, type ExecutionEvent, executeStream } from '@fenced/core'
import { errorMessage } from '@fenced/errors'
import { visibleJson } from '@fenced/errors/text'
import { type ForwardedPort, forwardPort } from '@fenced/sandbox'
import { TerminalOutput } from '@fenced/shared'
import { terminalQuestion } from '../choose/ask-at-terminal.ts'
import { type ChosenExecutor, chooseExecutor } from '../choose/choose-executor.ts'
import type { ExecutorOptions } from '../executor-options.ts'
import { type LedgerOptions, readLedger } from '../ledger-option.ts'
import { untilStopped } from '../stop-signals.ts'
import { readText, write } from '../streams.ts'
import { UserError } from '../user-error.ts'
import { note, OutputPrinter } from './output-printer.ts'
import { type RunEvent, runEventVersion } from './run-event.ts'
import { RunExecutor } from './run-executor.ts'
import { hasSingleProgram } from './single-program.ts'
import { TerminalQuestions } from './terminal-questions.ts'

export interface RunOptions extends ExecutorOptions, LedgerOptions {
  readonly json: boolean
  readonly quiet: boolean
  readonly reasoning: boolean
  readonly usage: boolean
  readonly port?: number
}

/** Runs the code blocks of a text as they arrive. @returns the exit code of the last block, or of the stop signal. */
export function run(path: string, options: RunOptions): Promise<number> {
  return untilStopped(async (signal) => {
    const askPerson = options.json ? undefined : terminalQuestion({ signal, isStdinTaken: path === '-' })
    await using executor = new RunExecutor(signal)
    const isSingle = path !== '-' && (await hasSingleProgram(path, options.reasoning))
    const chosen = await chooseExecutor(
      { ...options, isSingle },
      {
        ...{ signal, askPerson, needsPort: options.port !== undefined },
        test: (choice) => executor.test(choice),
      },
    )
    return await runIn({ chosen, executor }, path, { ...options, signal })
  })
}

async function runIn(
  { chosen, executor: place }: { readonly chosen: ChosenExecutor; readonly executor: RunExecutor },
  path: string,
  options: RunOptions & { readonly signal: AbortSignal },
): Promise<number> {
  const { signal, json, quiet, port, network, ask, workDir } = options
  const ledger = readLedger(options)
  const output = new TerminalOutput()
  const option = ask ? '--ask' : network?.asks ? '--network ask' : undefined
  using questions = option && new TerminalQuestions({ option, output, isStdinTaken: path === '-' })
  const executor = await place.get(chosen.choice)
  const printer = json
    ? new LinePrinter()
    : new OutputPrinter({
        ...{ isQuiet: quiet, keepsFiles: workDir !== undefined, showsUsage: options.usage },
        ...{ output, hasMargin: questions !== undefined },
      })
  await using _ = port === undefined ? undefined : await forward(executor, port, { quiet, signal })
  const execution = executeStream(executor, readText(path), {
    signal,
    startsInReasoning: options.reasoning,
    ask: questions?.ask,
    ledger,
  })
  printer.begin(executor, chosen)
  for (const notice of place.notices) await printer.print({ type: 'notice', notice })
  for await (const event of execution) {
    await questions?.allAnswered()
    await printer.print(event)
  }
  const { exitCode } = await execution
  return exitCode
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

/** Prints every event as a line of JSON: see {@link RunEvent}. */
class LinePrinter {
  begin({ name, capabilities: { isolation, network } }: CodeExecutor, { by, reason }: ChosenExecutor): void {
    const where = { executor: name, isolation, network, chosen: { by, reason } }
    void this.#line({ type: 'run-start', version: runEventVersion, ...where })
  }

  print(event: ExecutionEvent): Promise<void> {
    return this.#line(event)
  }

  #line(event: RunEvent): Promise<void> {
    return write(process.stdout, `${visibleJson(event)}\n`)
  }
}
