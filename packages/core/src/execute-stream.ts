import { type CodeBlock, CodeBlockScanner, type ExtractOptions } from '@fenced/markdown'
import { anySignal, definedOptions } from '@fenced/shared'
import type { ApprovalRequest, AskAbout, AskByKind, AskFunction } from './approval/ask.ts'
import { askOptionNames } from './approval/ask-options.ts'
import { notRun } from './approval/asked-run.ts'
import { byKind } from './approval/asker.ts'
import { askable } from './asking-executor.ts'
import type { CodeExecutor, ExecuteOptions } from './code-executor.ts'
import { areSkipped, cancelledText, mergedResult } from './engine/call/end-of-blocks.ts'
import type { Execution, ExecutionEvent } from './execution.ts'
import { askedOnce } from './network/network-approvals.ts'
import { knownOptions, type OptionNames } from './options/known-options.ts'
import { blocksOf } from './running/blocks-of-text.ts'
import { EventSource, Running } from './running/running.ts'
import { joinRunsOf } from './running/runs-of.ts'
import type { CodeResult } from './vocabulary/code-result.ts'

/** Options for {@link executeStream}. */
export interface ExecuteStreamOptions extends ExecuteOptions, ExtractOptions {}

const streamOptionNames: OptionNames<ExecuteStreamOptions> = {
  ...askOptionNames,
  signal: true,
  timeoutMs: true,
  maxWaitMs: true,
  tools: true,
  toolLimits: true,
  languages: true,
  inferLanguage: true,
  reasoningTags: true,
  startsInReasoning: true,
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
  const { timeoutMs, maxWaitMs, tools, toolLimits, ask, ...more } = options
  const { askTimeoutMs, ledger, remembered, agent, ...reading } = more
  // All of it is one run.
  const deciding = { askTimeoutMs, ledger, remembered, agent, ask: eachAsk(byKind(ask ?? {}), onceForRun) }
  const run = new StreamRun(askable(executor), {
    signal,
    timeoutMs,
    maxWaitMs,
    tools,
    toolLimits,
    ...deciding,
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
    cancel: (reason) => left.abort(reason),
  })
}

interface StreamParts {
  readonly run: StreamRun
  readonly result: Promise<CodeResult>
  readonly cancel: (reason?: unknown) => void
}

class StreamExecution extends Running<CodeResult, ExecutionEvent> implements Execution {
  override readonly [Symbol.toStringTag] = 'Execution'

  constructor({ run, result, cancel }: StreamParts) {
    super({ result, events: run, cancel })
  }
}

type StreamCallOptions = ExecuteOptions & { readonly signal: AbortSignal; readonly ask: AskByKind }

/** One call after the other, as the events and the result of one. */
class StreamRun extends EventSource<ExecutionEvent> {
  readonly #executor: CodeExecutor
  readonly #options: StreamCallOptions
  readonly #results: CodeResult[] = []
  /** The calls, each with the promise of the next; `undefined` after the last. */
  #next = Promise.withResolvers<Call | undefined>()
  readonly #first = this.#next.promise
  #result: Promise<CodeResult> | undefined
  #isStarting = false

  constructor(executor: CodeExecutor, options: StreamCallOptions) {
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
    const ask = eachAsk(this.#options.ask, (about) => countedFrom(blocksBefore, about))
    const execution = this.#executor.execute([block], definedOptions({ ...this.#options, ask }))
    const here = this.#next
    this.#next = Promise.withResolvers()
    this.#next.promise.catch(() => {})
    here.resolve({ execution, blocksBefore, next: this.#next.promise })
    return execution
  }
}

/** Changes each function. One that answers several kinds stays one. */
function eachAsk(kinds: AskByKind, change: (about: AskFunction) => AskFunction): AskByKind {
  const changed = new Map<unknown, AskFunction>()
  for (const about of Object.values(definedOptions(kinds)))
    if (!changed.has(about)) changed.set(about, change(about as AskFunction))
  return Object.fromEntries(
    Object.entries(definedOptions(kinds)).map(([kind, about]) => [kind, changed.get(about)]),
  )
}

/** A question about a connection is asked once in all calls. */
function onceForRun(ask: AskFunction): AskFunction {
  const once = askedOnce(ask as AskAbout<'network'>)
  return (request, options) => (request.kind === 'network' ? once(request, options) : ask(request, options))
}

/** Questions of a call, with the position of the block among all blocks. */
function countedFrom(blocksBefore: number, ask: AskFunction): AskFunction {
  return (request, options) => {
    const { blockIndex } = { blockIndex: undefined, ...request }
    return ask(
      blockIndex === undefined
        ? request
        : ({ ...request, blockIndex: blockIndex + blocksBefore } as ApprovalRequest),
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
