import { type CodeBlock, CodeBlockScanner, type ExtractOptions } from '@fenced/markdown'
import { extractOptionNames } from '@fenced/markdown/internal'
import { askingExecutor } from './approval/approved-executor.ts'
import type { Ask } from './approval/ask.ts'
import { askerOf } from './approval/asker.ts'
import { notRun } from './approval/decided-results.ts'
import type { DecisionLedger } from './approval/decision-ledger.ts'
import type { CodeExecutor, ExecuteOptions } from './code-executor.ts'
import type { CodeResult } from './code-result.ts'
import { areSkipped, cancelledText, mergedResult } from './engine/end-of-blocks.ts'
import type { Execution, ExecutionEvent } from './execution.ts'
import { askedOnce } from './network/network-approvals.ts'
import { definedOptions } from './options/defined-options.ts'
import { knownOptions, type OptionNames } from './options/known-options.ts'
import { anySignal } from './running/any-signal.ts'
import { blocksOf } from './running/blocks-of-text.ts'
import { EventSource, Running } from './running/running.ts'
import { joinRunsOf } from './running/runs-of.ts'

/** Options for {@link executeStream}. */
export interface ExecuteStreamOptions extends ExecuteOptions, ExtractOptions {
  /**
   * Asked about each block before it runs, and about the other kinds of questions that arise during a run. `approveTool`,
   * `approveNetwork`, `answerInput` and `approveInstall` are shorthands for one kind; each kind can be handled by only one of
   * them.
   *
   * @default blocks run without asking, and each other kind keeps its default
   */
  readonly ask?: Ask | undefined
  /**
   * Time limit for each question, in milliseconds. A question that expires is denied.
   *
   * @default none
   */
  readonly askTimeoutMs?: number | undefined
  /**
   * Records the decisions that `ask` makes about blocks, and decisions about tool calls. See `approvedExecutor`.
   *
   * @default an in-memory ledger for this call only
   */
  readonly ledger?: DecisionLedger | undefined
}

const streamOptionNames: OptionNames<ExecuteStreamOptions> = {
  ask: true,
  askTimeoutMs: true,
  ledger: true,
  signal: true,
  timeoutMs: true,
  maxWaitMs: true,
  tools: true,
  toolLimits: true,
  approveTool: true,
  approveNetwork: true,
  answerInput: true,
  approveInstall: true,
  ...extractOptionNames,
}

/**
 * Runs the code blocks in an answer while the model is still writing it. Each block runs after its closing fence, in order, until
 * one fails. The result and events are the same as for a single `execute` call with all blocks.
 *
 * The executor starts when the first fence opens, so that it is ready when the fence closes. While a block runs, no more text is
 * read. If a block fails, the rest of the text is abandoned (the iterator's `return()` is called), because the model wrote it
 * without knowing about the failure. Stopping or restarting the executor cancels the stream, even while it waits for text. To read the text elsewhere too, pass one branch of a `tee()`.
 *
 * @param text - Markdown in chunks of any size, such as the AI SDK's `textStream`.
 * @throws FencedError `INVALID_OPTIONS`; if `execute` rejects, its error. If reading the text throws, that error is thrown after the running block has been
 *   stopped.
 * @example
 * const { textStream } = streamText({ model, prompt })
 * const result = await executeStream(executor, textStream)
 */
export function executeStream(
  executor: CodeExecutor,
  text: AsyncIterable<string>,
  given: ExecuteStreamOptions = {},
): Execution {
  const { signal: caller, ...options } = knownOptions(given, streamOptionNames, 'executeStream()')
  const left = new AbortController()
  const signal = caller === undefined ? left.signal : anySignal([caller, left.signal])
  const { timeoutMs, maxWaitMs, tools, toolLimits, ask, askTimeoutMs, ledger, ...more } = options
  const { approveTool, approveNetwork, answerInput, approveInstall, ...reading } = more
  const asker = askerOf({ ask, approveTool, approveNetwork, answerInput, approveInstall, askTimeoutMs })
  const { executor: asking, questions } = askingExecutor(executor, {
    asker,
    given: { approveNetwork, answerInput },
    ledger,
  })
  const run = new StreamRun(asking, {
    ...{ signal, timeoutMs, maxWaitMs, tools, toolLimits, ...questions },
    // All of it is one run.
    approveNetwork: questions.approveNetwork && askedOnce(questions.approveNetwork),
  })
  const blocks = blocksOf(text, {
    scanner: new CodeBlockScanner(reading),
    signal,
    onFence: () => run.startExecutor(),
  })
  const joined = joinRunsOf(executor, left)
  return new StreamExecution({
    run,
    result: run.all(blocks).finally(() => joined?.[Symbol.dispose]()),
    cancel: () => left.abort(),
  })
}

interface StreamParts {
  readonly run: StreamRun
  readonly result: Promise<CodeResult>
  readonly cancel: () => void
}

class StreamExecution extends Running<CodeResult, ExecutionEvent> implements Execution {
  override readonly [Symbol.toStringTag] = 'Execution'

  constructor({ run, result, cancel }: StreamParts) {
    super({ result, events: run, cancel })
  }
}

/** One call after the other, as the events and the result of one. */
class StreamRun extends EventSource<ExecutionEvent> {
  readonly #executor: CodeExecutor
  readonly #options: ExecuteOptions & { readonly signal: AbortSignal }
  readonly #results: CodeResult[] = []
  /** The calls, each with the promise of the next; `undefined` after the last. */
  #next = Promise.withResolvers<Call | undefined>()
  readonly #first = this.#next.promise
  #result: Promise<CodeResult> | undefined
  #isStarting = false

  constructor(executor: CodeExecutor, options: ExecuteOptions & { readonly signal: AbortSignal }) {
    super()
    this.#executor = executor
    this.#options = options
  }

  /** A call without blocks does all the work before the first block. If it fails, the first call with a block reports the failure. */
  startExecutor(): void {
    if (this.#isStarting) return
    this.#isStarting = true
    this.#executor.execute([], { signal: this.#options.signal }).catch(() => {})
  }

  all(blocks: AsyncIterable<CodeBlock>): Promise<CodeResult> {
    this.#result = this.#runAll(blocks)
    // The reader of the events gets the error of the call, or of the text.
    this.#first.catch(() => {})
    this.#result.then(
      () => this.#next.resolve(undefined),
      (error: unknown) => this.#next.reject(error),
    )
    return this.#result
  }

  async *read(): AsyncGenerator<ExecutionEvent, undefined, undefined> {
    for (let call = await this.#first; call !== undefined; call = await call.next) {
      for await (const event of call.execution) {
        if (event.type === 'execution-end') continue
        yield 'index' in event && event.index !== undefined
          ? { ...event, index: event.index + call.blocksBefore }
          : event
      }
    }
    yield { type: 'execution-end', result: await (this.#result as Promise<CodeResult>) }
  }

  /** The call that runs is cancelled by the signal of all. */
  release(): void {}

  async #runAll(blocks: AsyncIterable<CodeBlock>): Promise<CodeResult> {
    const { signal } = this.#options
    try {
      for await (const block of blocks) {
        const result = await this.#run(block)
        this.#results.push(result)
        if (result.status !== 'ok' && !areSkipped(result.blocks)) break
      }
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error
      this.#results.push(notRun(this.#executor, 'cancelled', this.#results.length === 0 ? cancelledText : ''))
    }
    return this.#results.length === 0 ? notRun(this.#executor, 'ok', '') : mergedResult(this.#results)
  }

  #run(block: CodeBlock): Execution {
    const blocksBefore = this.#results.reduce((sum, { blocks }) => sum + blocks.length, 0)
    const { approveTool, approveNetwork, answerInput, approveInstall, ...options } = this.#options
    const given: ExecuteOptions = {
      ...options,
      approveTool: countedFrom(blocksBefore, approveTool),
      approveNetwork: countedFrom(blocksBefore, approveNetwork),
      answerInput: countedFrom(blocksBefore, answerInput),
      approveInstall: countedFrom(blocksBefore, approveInstall),
    }
    const execution = this.#executor.execute([block], definedOptions(given))
    const here = this.#next
    this.#next = Promise.withResolvers()
    this.#next.promise.catch(() => {})
    here.resolve({ execution, blocksBefore, next: this.#next.promise })
    return execution
  }
}

/** Questions of a call, with the position of the block among all blocks. */
function countedFrom<Request extends { readonly blockIndex?: number }, Options, Answer>(
  blocksBefore: number,
  ask: ((request: Request, options: Options) => Answer) | undefined,
): ((request: Request, options: Options) => Answer) | undefined {
  if (ask === undefined) return undefined
  return (request, options) => {
    const { blockIndex } = request
    return ask(
      blockIndex === undefined ? request : { ...request, blockIndex: blockIndex + blocksBefore },
      options,
    )
  }
}

interface Call {
  readonly execution: Execution
  /** The number of blocks in earlier calls. */
  readonly blocksBefore: number
  readonly next: Promise<Call | undefined>
}
