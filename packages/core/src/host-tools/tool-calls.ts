import { randomUUID } from 'node:crypto'
import { checkedAnswer } from '../approval/approval-answer.ts'
import type { WaitingFor } from '../engine/block-clock.ts'
import { errorMessage } from '../error-message.ts'
import { afterTime, onAbort } from '../running/waiting.ts'
import { visible, visibleName } from '../text.ts'
import type {
  ApproveTool,
  HostToolCall,
  HostToolFailure,
  HostToolLimits,
  ToolApprovalRequest,
} from './host-tool.ts'
import { jsonText, jsonValue } from './json-text.ts'
import { longestError, shortened } from './tool-log.ts'
import type { ReadyTool, ToolSet } from './tool-set.ts'

/** What the calls of one run of a program need. */
export interface ToolCallsParts {
  readonly set: ToolSet
  readonly approve: ApproveTool | undefined
  readonly limits: { readonly [Name in keyof HostToolLimits]-?: NonNullable<HostToolLimits[Name]> }
  readonly blockIndex: number
  /** Aborted when the block is stopped. */
  readonly signal: AbortSignal
  /** Stops the clock of the program, up to the limit of such waiting, until the result is disposed of. */
  readonly hold: (waitingFor: WaitingFor) => Disposable
  /** Called at the beginning of a call that is to be made, and at the end of each. */
  readonly onCall: (call: Omit<HostToolCall, 'durationMs'>) => void
  readonly onResult: (call: HostToolCall) => void
}

/** A call, as a program sends it. */
interface SentCall {
  readonly id: unknown
  readonly tool: unknown
  readonly input: unknown
  readonly line: unknown
}

/** A call of a tool that is there. */
type CallToMake = Pick<HostToolCall, 'id' | 'tool' | 'input' | 'line'>

/** Says in a rejection why a call has no output. */
class CallFailure extends Error {
  readonly kind: HostToolFailure['kind']

  constructor(kind: HostToolFailure['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** Answers the calls of one run of a program. What a program sends is not trusted. */
export class ToolCalls {
  readonly #parts: ToolCallsParts
  readonly #ended = new AbortController()
  #count = 0
  #inFlight = 0
  readonly #pending = new Set<Promise<string>>()

  constructor(parts: ToolCallsParts) {
    this.#parts = parts
  }

  /** How large a message can be, in bytes. */
  get maxMessageBytes(): number {
    return this.#parts.limits.maxBytes + 4_096
  }

  /** How many calls were made. */
  get count(): number {
    return this.#count
  }

  /** See {@link ToolSet.pythonFunctions}. */
  get pythonFunctions(): string {
    return this.#parts.set.pythonFunctions
  }

  /**
   * Takes a message of the program: JSON of `{ id, tool, input, line }`.
   *
   * @param message - `undefined` for one that is too long.
   * @returns JSON of `{ id, output }` or `{ id, error: { kind, message } }`. Never rejects.
   */
  answer(message: string | undefined): Promise<string> {
    const answer = this.#answer(message)
    this.#pending.add(answer)
    void answer.then(() => this.#pending.delete(answer))
    return answer
  }

  async #answer(message: string | undefined): Promise<string> {
    let id: unknown = null
    try {
      const call = this.#read(message)
      id = call.id
      const output = await this.#make(call)
      return `{"id":${jsonText(id)},"output":${output}}`
    } catch (error) {
      return jsonText({ id, error: shortened(failureOf(error), longestError) })
    }
  }

  /** Refuses what comes from now on, and ends what goes on: resolves when all of that was reported. */
  async end(): Promise<void> {
    this.#ended.abort(new CallFailure('refused', 'the block has ended'))
    await Promise.allSettled(this.#pending)
  }

  #read(message: string | undefined): SentCall {
    const { maxBytes } = this.#parts.limits
    if (message === undefined)
      throw new CallFailure('refused', `the arguments are larger than ${maxBytes} bytes`)
    let sent: unknown
    try {
      sent = jsonValue(message)
    } catch {
      throw new CallFailure('refused', 'the call is not JSON')
    }
    if (typeof sent !== 'object' || sent === null) throw new CallFailure('refused', 'the call is no object')
    const { id = null, tool, input = {}, line } = sent as Partial<SentCall>
    return { id: Number.isFinite(id) || typeof id === 'string' ? id : null, tool, input, line }
  }

  /** JSON of the output. */
  async #make({ tool: name, input: given, line }: SentCall): Promise<string> {
    const { set, limits } = this.#parts
    this.#ended.signal.throwIfAborted()
    const tool = set.find(name)
    if (tool === undefined) throw new CallFailure('refused', `there is no tool ${JSON.stringify(name)}`)
    if (this.#count >= limits.maxCalls)
      throw new CallFailure('refused', `the block has made all of its ${limits.maxCalls} calls`)
    if (this.#inFlight >= limits.maxCallsInFlight)
      throw new CallFailure('refused', `${limits.maxCallsInFlight} calls wait for their answers already`)
    this.#count++
    this.#inFlight++
    using _inFlight = { [Symbol.dispose]: () => this.#inFlight-- }
    using _clock = this.#parts.hold('tools')
    const startedAt = performance.now()
    const about = {
      id: randomUUID(),
      tool: tool.name,
      input: given,
      ...(Number.isInteger(line) ? { line: line as number } : {}),
    }
    this.#parts.onCall(about)
    const done = (end: Pick<HostToolCall, 'output' | 'error'>) =>
      this.#parts.onResult({ ...about, ...end, durationMs: performance.now() - startedAt })
    try {
      const signal = AbortSignal.any([this.#parts.signal, this.#ended.signal])
      const { text, output } = await orEnded(this.#outputOf(tool, about, signal), signal)
      done({ output })
      return text
    } catch (error) {
      done({ error: failureOf(error) })
      throw error
    }
  }

  async #outputOf(
    tool: ReadyTool,
    given: CallToMake,
    signal: AbortSignal,
  ): Promise<{ text: string; output: unknown }> {
    const input = await argumentsOf(tool, given.input).catch((error: unknown) => {
      throw new CallFailure('refused', `wrong arguments: ${errorMessage(error)}`)
    })
    const call = { ...given, input }
    await this.#ask(tool, call, signal)
    const returned = await this.#execute(tool, call, signal)
    const output = await tool.output.parse(returned).catch((error: unknown) => {
      throw new CallFailure('failed', `it returned what does not match its schema: ${errorMessage(error)}`)
    })
    const { maxBytes } = this.#parts.limits
    const text = jsonText(output)
    if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes)
      throw new CallFailure('failed', `it returned more than ${maxBytes} bytes`)
    return { text, output }
  }

  async #ask(tool: ReadyTool, { id, input, line }: CallToMake, signal: AbortSignal): Promise<void> {
    const { approve, blockIndex } = this.#parts
    const needsApproval = await needsToBeAsked(tool, input, id)
    if (approve === undefined) {
      if (needsApproval === true)
        throw new CallFailure('denied', 'it needs an approval, and nobody can be asked')
      return
    }
    if (needsApproval === false) return
    const request: ToolApprovalRequest = {
      kind: 'tool',
      id: randomUUID(),
      toolCallId: id,
      question: questionOf(tool.name, { input, line }),
      tool: tool.name,
      ...(tool.description === undefined ? {} : { description: tool.description }),
      ...(needsApproval === true ? { needsApproval } : {}),
      input: structuredClone(input),
      blockIndex,
      ...(line === undefined ? {} : { line }),
    }
    using _clock = this.#parts.hold('people')
    const ask = async () => checkedAnswer('tool', await approve(request, { signal }))
    const answer = await orEnded(ask(), signal).catch((error) => {
      signal.throwIfAborted()
      throw new CallFailure('denied', `nobody could be asked: ${errorMessage(error)}`)
    })
    if (answer.decision === 'allow') return
    throw new CallFailure('denied', answer.reason)
  }

  async #execute(tool: ReadyTool, { id, input }: CallToMake, stopped: AbortSignal): Promise<unknown> {
    const { callTimeoutMs } = this.#parts.limits
    const late = new AbortController()
    const error = new CallFailure('failed', `it did not return within ${callTimeoutMs} ms`)
    using _ = afterTime(callTimeoutMs, () => late.abort(error))
    const abortSignal = AbortSignal.any([stopped, late.signal])
    const run = async () => lastOf(await tool.execute(input, { toolCallId: id, messages: [], abortSignal }))
    return await orEnded(run(), abortSignal)
  }
}

/** @throws Error for what the tool does not take, and for a number such as 1e400, which is none in this process. */
async function argumentsOf(tool: ReadyTool, input: unknown): Promise<unknown> {
  jsonText(input)
  return await tool.input.parse(input)
}

/** How much of the arguments a question has. */
const longestInput = 500

function questionOf(
  tool: string,
  { input, line }: { readonly input: unknown; readonly line: number | undefined },
): string {
  const text = jsonText(input)
  const shown = text.length > longestInput ? `${text.slice(0, longestInput)}…` : text
  const where = line === undefined ? '' : ` (line ${line})`
  return `A program${where} wants to call the tool ${visibleName(tool)} with ${visible(shown)}.`
}

/** The AI SDK takes `needsApproval` as a value or as a function of the input. `undefined`: nothing is said. */
async function needsToBeAsked(
  { needsApproval }: ReadyTool,
  input: unknown,
  toolCallId: string,
): Promise<boolean | undefined> {
  if (typeof needsApproval !== 'function')
    return needsApproval === undefined ? undefined : Boolean(needsApproval)
  return Boolean(await needsApproval(input, { toolCallId, messages: [] }))
}

/** A tool of the AI SDK may return what comes so far, and at last the whole. */
async function lastOf(returned: unknown): Promise<unknown> {
  if (typeof returned !== 'object' || returned === null || !(Symbol.asyncIterator in returned))
    return returned
  let last: unknown
  for await (const each of returned as AsyncIterable<unknown>) last = each
  return last
}

async function orEnded<Value>(running: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const ended = Promise.withResolvers<never>()
  using _ = onAbort(signal, () => ended.reject(signal.reason))
  return await Promise.race([running, ended.promise])
}

function failureOf(error: unknown): HostToolFailure {
  if (Object(error).name === 'AbortError') return { kind: 'failed', message: 'the block was stopped' }
  const kind = error instanceof CallFailure ? error.kind : 'failed'
  return { kind, message: errorMessage(error) }
}
