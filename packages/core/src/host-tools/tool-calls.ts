import { randomUUID } from 'node:crypto'
import { errorMessage, FencedError } from '@fenced/errors'
import { afterTime, untilAborted } from '@fenced/shared'
import type { Asking } from '../approval/code-questions.ts'
import { recordedCall } from '../approval/recorded-call.ts'
import type { ToolApprovalAnswer, ToolApprovalRequest } from '../approval/tool-request.ts'
import type { HostToolCall, HostToolLimits } from '../vocabulary/host-tool.ts'
import { CallFailure, failureOf } from './call-failure.ts'
import { jsonText, jsonValue } from './json-text.ts'
import { longestError, shortened } from './tool-log.ts'
import { type CallToMake, questionAbout } from './tool-question.ts'
import type { ReadyTool } from './tool-schema.ts'
import type { ToolSet } from './tool-set.ts'

/** Parts of {@link ToolCalls}. */
export interface ToolCallsParts {
  readonly set: ToolSet
  /** Decides about the calls. */
  readonly asking: Pick<Asking, 'asker' | 'ledger'>
  readonly limits: { readonly [Name in keyof HostToolLimits]-?: NonNullable<HostToolLimits[Name]> }
  readonly blockIndex: number
  /** Aborted when the block is stopped. */
  readonly signal: AbortSignal
  /** Stops the clock of the program, up to the limit of such waiting, until the result is disposed of. */
  readonly hold: (waitingFor: 'people' | 'tools') => Disposable
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

/** Answers the calls of one run of a program. What a program sends is not trusted. */
export class ToolCalls {
  readonly #parts: ToolCallsParts
  readonly #ended = new AbortController()
  #count = 0
  #inFlight = 0
  readonly #pending = new Set<Promise<unknown>>()

  constructor(parts: ToolCallsParts) {
    this.#parts = parts
  }

  /** Size limit for a message, in bytes. */
  get maxMessageBytes(): number {
    return this.#parts.limits.maxBytes + 4_096
  }

  /** The number of calls. */
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
   * @param message - `undefined` for a message that is too long.
   * @returns JSON of `{ id, output }` or `{ id, error: { kind, message } }`. Never rejects.
   */
  answer(message: string | undefined): Promise<string> {
    return this.#followed(this.#answer(message))
  }

  /** {@link end} waits for it. */
  #followed<Value>(pending: Promise<Value>): Promise<Value> {
    this.#pending.add(pending)
    const settled = () => this.#pending.delete(pending)
    pending.then(settled, settled)
    return pending
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

  /** Refuses further calls, and ends the calls in progress. Resolves when all of them were reported. */
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
      const { text, output } = await untilAborted(this.#outputOf(tool, about, signal), signal)
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
    const { asking, blockIndex } = this.#parts
    const request = await questionAbout(tool, call, { isAsked: asking.asker.has('tool'), blockIndex })
    signal.throwIfAborted()
    const returned = await this.#followed(this.#made(tool, call, { request, signal }))
    const output = await tool.output.parse(returned).catch((error: unknown) => {
      throw new CallFailure('failed', `it returned what does not match its schema: ${errorMessage(error)}`)
    })
    const text = jsonText(output)
    const { maxBytes } = this.#parts.limits
    if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes)
      throw new CallFailure('failed', `it returned more than ${maxBytes} bytes`)
    return { text, output }
  }

  /** Asks about a call where a request is given, and makes it. */
  async #made(
    tool: ReadyTool,
    call: CallToMake,
    { request, signal }: { readonly request: ToolApprovalRequest | undefined; readonly signal: AbortSignal },
  ): Promise<unknown> {
    const late = new AbortController()
    const abortSignal = AbortSignal.any([signal, late.signal])
    let hasBegun = false
    const make = (): Promise<unknown> => {
      hasBegun = true
      return this.#execute(tool, call, { late, abortSignal })
    }
    if (request === undefined) return await make()
    const made = await recordedCall(request, {
      ledger: this.#parts.asking.ledger,
      ask: (asked) => this.#ask(asked, signal),
      make,
      isLeftBehind: () => abortSignal.aborted,
    }).catch((error: unknown) => {
      if (hasBegun || !FencedError.isInstance(error)) throw error
      throw new CallFailure('denied', error.message)
    })
    if ('denial' in made) throw new CallFailure('denied', made.denial)
    return made.output
  }

  async #ask(request: ToolApprovalRequest, signal: AbortSignal): Promise<ToolApprovalAnswer> {
    using _clock = this.#parts.hold('people')
    return await this.#parts.asking.asker.ask<'tool'>(request, { signal })
  }

  async #execute(
    tool: ReadyTool,
    { id, input }: CallToMake,
    { late, abortSignal }: { readonly late: AbortController; readonly abortSignal: AbortSignal },
  ): Promise<unknown> {
    const { callTimeoutMs } = this.#parts.limits
    const error = new CallFailure('failed', `it did not return within ${callTimeoutMs} ms`)
    using _ = afterTime(callTimeoutMs, () => late.abort(error))
    const run = async () => lastOf(await tool.execute(input, { toolCallId: id, messages: [], abortSignal }))
    return await untilAborted(run(), abortSignal)
  }
}

/** @throws Error for arguments that the tool does not take, and for a number such as 1e400. */
async function argumentsOf(tool: ReadyTool, input: unknown): Promise<unknown> {
  jsonText(input)
  return await tool.input.parse(input)
}

/** A tool of the AI SDK may return what comes so far, and at last the whole. */
async function lastOf(returned: unknown): Promise<unknown> {
  if (typeof returned !== 'object' || returned === null || !(Symbol.asyncIterator in returned))
    return returned
  let last: unknown
  for await (const each of returned as AsyncIterable<unknown>) last = each
  return last
}
