import { errorMessage, FencedError } from '@fenced/errors'
import { afterTime, anySignal, untilAborted } from '@fenced/shared'
import { type QuestionTrace, traced } from '../vocabulary/tracing.ts'
import { answeredEvent, type ShowApproval } from './approval-event.ts'
import type { ApprovalRequest, Ask, AskAnswer, AskByKind, AskFunction, AskKind, AskKinds } from './ask.ts'
import { checkedAnswer } from './checked-answer.ts'

/** Every kind of question. */
export const askKinds = [
  'code',
  'tool',
  'network',
  'input',
  'install',
  'file',
  'process',
  'message',
] as const satisfies readonly AskKind[]

/** An answer, with the reason of a denial that no approver gave. Messages have no default. */
export type AskedAnswer<Kind extends AskKind> =
  | (AskKinds[Kind]['answer'] & {
      /** Whether no answer came within `askTimeoutMs`. */
      readonly isExpired?: boolean | undefined
    })
  | ('message' extends Kind ? undefined : never)

/** The one way to ask. */
export interface Asker {
  /** The functions, which are asked. */
  readonly kinds: AskByKind
  /** Tells the reader of a run's events about its questions. Outside a run, nobody. */
  readonly show: ShowApproval
  /** Whether questions of a kind are asked. Otherwise the kind has its default. */
  has(kind: AskKind): boolean
  /** The same, with a reader of its questions. */
  showing(show: ShowApproval): Asker
  /**
   * The checked answer to a question, or the default of its kind. The approver gets a copy of the request. An approver that cannot be
   * reached denies, and so does an expired `askTimeoutMs`. Shows the question and its answer, unless it is about code: such an answer is
   * shown when it is recorded.
   *
   * Rejects with the signal's reason; with FencedError `APPROVAL_UNAVAILABLE` when the approver of code cannot be reached; and with
   * `INVALID_APPROVAL` for a wrong answer about code, or for a wrong message. A wrong answer to another question denies.
   */
  ask<Kind extends AskKind>(
    request: AskKinds[Kind]['request'],
    options: { readonly signal: AbortSignal },
  ): Promise<AskedAnswer<Kind>>
}

interface AskerParts {
  readonly ask?: Ask | undefined
  readonly askTimeoutMs?: number | undefined
}

/** Makes the asker of a call. @throws FencedError `INVALID_OPTIONS` for an `ask` of the wrong shape. */
export function askerOf({ ask, askTimeoutMs }: AskerParts): Asker {
  return ask === undefined ? noAsker : new FunctionAsker({ kinds: byKind(ask), askTimeoutMs })
}

/** The functions of an `ask` by kind: the same one for each kind, where it decides about all. @throws FencedError `INVALID_OPTIONS`. */
export function byKind(ask: Ask): AskByKind {
  const all = allKindsOf(ask)
  if (all !== undefined) return Object.fromEntries(askKinds.map((kind) => [kind, all]))
  if (isAsk(ask)) return ask as AskByKind
  throw wrongAsk()
}

/** The error for an `ask` of the wrong shape. */
export function wrongAsk(): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `\`ask\` has a wrong value. It ${askShape}.`,
    data: { option: 'ask' },
  })
}

/** Whether a value has the shape of an `ask`. */
export function isAsk(value: unknown): value is Ask {
  if (allKindsOf(value) !== undefined) return true
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(
    ([kind, about]) =>
      (askKinds as readonly string[]).includes(kind) && (about === undefined || typeof about === 'function'),
  )
}

/** The valid forms of `ask`, for an error. */
export const askShape = `must be a function, an object with a method \`ask\`, or an object with functions for ${askKinds.join(', ')}`

/** The function of an `ask` for every kind; `undefined` for an object with functions by kind. */
function allKindsOf(ask: unknown): AskFunction | undefined {
  if (typeof ask === 'function') return ask as AskFunction
  const { ask: method } = Object(ask) as { readonly ask?: unknown }
  if (typeof method !== 'function') return undefined
  return (request, options) => (ask as { readonly ask: AskFunction }).ask(request, options)
}

/** What holds where no approver decides. Code and messages have none: an approver of code must answer. */
const defaults: {
  readonly [Kind in AskKind]: (request: AskKinds[Kind]['request'], kinds: AskByKind) => unknown
} = {
  code: () => undefined,
  tool: ({ needsApproval }) =>
    needsApproval === true
      ? { decision: 'deny', reason: 'it needs an approval, and the approver gave no answer' }
      : { decision: 'allow' },
  network: ({ host, port }) => ({
    decision: 'deny',
    reason: `${host}, port ${port}, is not in the network list of this sandbox`,
  }),
  input: () => ({ decision: 'deny', reason: 'Programs have no standard input here.' }),
  // Only packages among `installablePackages` are asked about.
  install: () => ({ decision: 'allow' }),
  file: besideCode,
  process: besideCode,
  message: () => undefined,
}

/** Code that is asked about must not be able to run beside the question, as a process or as a file. */
function besideCode({ kind }: ApprovalRequest, { code }: AskByKind): AskAnswer<'file' | 'process'> {
  if (code === undefined) return { decision: 'allow' }
  const reason = `\`ask\` decides about code, but gave no answer about a ${kind}. Add a function for the kind \`${kind}\`.`
  return { decision: 'deny', reason }
}

function defaultAnswer(request: ApprovalRequest, kinds: AskByKind): unknown {
  return (defaults[request.kind] as (request: ApprovalRequest, kinds: AskByKind) => unknown)(request, kinds)
}

const showNobody: ShowApproval = async () => {}

const noAsker: Asker = {
  kinds: {},
  show: showNobody,
  has: () => false,
  showing: () => noAsker,
  ask: async <Kind extends AskKind>(request: AskKinds[Kind]['request']) =>
    defaultAnswer(request, {}) as AskedAnswer<Kind>,
}

class FunctionAsker implements Asker {
  readonly kinds: AskByKind
  readonly show: ShowApproval
  readonly #timeoutMs: number | undefined

  constructor({
    kinds,
    askTimeoutMs,
    show = showNobody,
  }: Pick<AskerParts, 'askTimeoutMs'> & { readonly kinds: AskByKind; readonly show?: ShowApproval }) {
    this.kinds = kinds
    this.show = show
    this.#timeoutMs = askTimeoutMs
  }

  has(kind: AskKind): boolean {
    return this.kinds[kind] !== undefined
  }

  showing(show: ShowApproval): Asker {
    return new FunctionAsker({ kinds: this.kinds, askTimeoutMs: this.#timeoutMs, show })
  }

  async ask<Kind extends AskKind>(
    request: AskKinds[Kind]['request'],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<AskedAnswer<Kind>> {
    const { kind, id } = request
    const ask = this.kinds[kind] as AskFunction | undefined
    if (ask === undefined) return defaultAnswer(request, this.kinds) as AskedAnswer<Kind>
    if (kind === 'code') return await this.#traced<Kind>(ask, request, signal)
    await this.show({ type: 'approval-requested', request: structuredClone(request) }, signal)
    try {
      const answer = await this.#traced<Kind>(ask, request, signal)
      if (answer !== undefined) await this.show(answeredEvent(request, answer), signal)
      return answer
    } catch (error) {
      await this.show({ type: 'approval-withdrawn', id }, signal)
      throw error
    }
  }

  async #traced<Kind extends AskKind>(
    ask: AskFunction,
    request: AskKinds[Kind]['request'],
    signal: AbortSignal,
  ): Promise<AskedAnswer<Kind>> {
    const trace: QuestionTrace = { kind: request.kind }
    // A trace has the result of its operation, and an answer may be secret.
    const given: { answer?: AskedAnswer<Kind> } = {}
    await traced('fenced:question', trace, async () => {
      given.answer = await this.#checked<Kind>(ask, request, signal)
      trace.decision = given.answer?.decision
    })
    return given.answer as AskedAnswer<Kind>
  }

  async #checked<Kind extends AskKind>(
    ask: AskFunction,
    request: AskKinds[Kind]['request'],
    signal: AbortSignal,
  ): Promise<AskedAnswer<Kind>> {
    const { kind } = request
    const given = await this.#answer(ask, request, signal)
    const answer = given === undefined ? defaultAnswer(request, this.kinds) : given
    if (answer === undefined && kind === 'message') return undefined as AskedAnswer<Kind>
    try {
      return checkedAnswer(kind, answer) as AskedAnswer<Kind>
    } catch (error) {
      if (kind === 'code' || kind === 'message') throw error
      return { decision: 'deny', reason: errorMessage(error) } as AskedAnswer<Kind>
    }
  }

  async #answer(ask: AskFunction, request: ApprovalRequest, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted()
    const timeoutMs = this.#timeoutMs
    const limit = new AbortController()
    const expired = new Error(`No answer came within ${timeoutMs} ms (askTimeoutMs).`)
    using _ = timeoutMs === undefined ? undefined : afterTime(timeoutMs, () => limit.abort(expired))
    const either = anySignal([signal, limit.signal])
    try {
      // A copy: the approver cannot change what happens by changing the request.
      const asking = async () => ask(structuredClone(request), { signal: either })
      return await untilAborted(asking(), either)
    } catch (error) {
      signal.throwIfAborted()
      if (limit.signal.aborted) return { decision: 'deny', reason: expired.message, isExpired: true }
      if (request.kind === 'code') throw unavailable(request.agent, error)
      return { decision: 'deny', reason: `The approver could not be reached: ${errorMessage(error)}` }
    }
  }
}

function unavailable(agent: string, cause: unknown): FencedError {
  const reason = errorMessage(cause)
  return new FencedError({
    code: 'APPROVAL_UNAVAILABLE',
    message: `The approver of "${agent}" failed, so the code was not run: ${reason}`,
    data: { agent, reason },
    cause,
  })
}
