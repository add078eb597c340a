import { errorMessage, FencedError } from '@fenced/errors'
import { anySignal } from '../running/any-signal.ts'
import { afterTime, untilAborted } from '../running/waiting.ts'
import type { Approve, Approver } from './approval-answer.ts'
import type { ApprovalRequest, Ask, AskByKind, AskFunction, AskKind, AskKinds } from './ask.ts'
import type { ApproveInstall } from './ask-requests.ts'
import { checkedAnswer } from './checked-answer.ts'
import type { AnswerInput } from './input-request.ts'
import type { ApproveNetwork } from './network-request.ts'
import type { ApproveTool } from './tool-request.ts'

/** The options from which an {@link Asker} is made. Each short form is a function for one kind. */
export interface AskerOptions {
  readonly ask?: Ask | undefined
  readonly approve?: Approve | Approver | undefined
  readonly approveTool?: ApproveTool | undefined
  readonly approveNetwork?: ApproveNetwork | undefined
  readonly answerInput?: AnswerInput | undefined
  readonly approveInstall?: ApproveInstall | undefined
  /** Time limit for each question, in milliseconds. Default: none. */
  readonly askTimeoutMs?: number | undefined
}

/** The one way to ask. */
export interface Asker {
  /** Whether questions of a kind are asked. Otherwise the kind keeps its default. */
  has(kind: AskKind): boolean
  /**
   * The checked answer to a question; `undefined` where the default of the kind holds. The approver gets a copy of the request.
   * An approver that cannot be reached denies, and so does an expired `askTimeoutMs`.
   *
   * Rejects with the signal's reason; with FencedError `INVALID_APPROVAL` for a wrong answer; and for code with
   * `APPROVAL_UNAVAILABLE` when the approver cannot be reached.
   */
  ask<Kind extends AskKind>(
    request: AskKinds[Kind]['request'],
    options: { readonly signal: AbortSignal },
  ): Promise<AskedAnswer<Kind> | undefined>
}

/** An answer, with the reason of a denial that no approver gave. */
export type AskedAnswer<Kind extends AskKind> = AskKinds[Kind]['answer'] & {
  /** Whether no answer came within `askTimeoutMs`. */
  readonly isExpired?: boolean | undefined
}

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

/**
 * Makes one approver of `ask` and of the short forms.
 *
 * @throws FencedError `INVALID_OPTIONS` for an `ask` of the wrong shape, and where `ask` and a short form decide about the same kind.
 */
export function askerOf({ ask, askTimeoutMs, ...short }: AskerOptions): Asker {
  const all = allKindsOf(ask)
  const byKind = all === undefined ? kindsOf(ask) : {}
  const functions = new Map<AskKind, Asked>()
  for (const kind of askKinds) {
    const option = shortForms.get(kind)
    const given = option === undefined ? undefined : short[option]
    const about = all ?? byKind[kind]
    if (given !== undefined && about !== undefined && option !== undefined)
      throw conflictingOptions(option, kind)
    if (about !== undefined) functions.set(kind, { ask: about as AskFunction, mustAnswer: kind === 'code' })
    else if (given !== undefined) functions.set(kind, { ask: shortFunction(given), mustAnswer: true })
  }
  return new AskerOfFunctions(functions, askTimeoutMs)
}

/**
 * The same for an argument: an `ask`, or an object with a method `approve`, which decides about code alone. `approveNetwork` replaces a
 * function for every kind.
 *
 * @throws FencedError `INVALID_OPTIONS`, also where code is not asked about.
 */
export function askerOfArgument(
  ask: Ask | Approver,
  { approveNetwork, askTimeoutMs }: Pick<AskerOptions, 'approveNetwork' | 'askTimeoutMs'>,
): Asker {
  const all = allKindsOf(ask)
  if (all !== undefined && approveNetwork !== undefined) {
    const byKind = Object.fromEntries(askKinds.map((kind) => [kind, all])) as AskByKind
    return askerOf({ ask: { ...byKind, network: approveNetwork }, askTimeoutMs })
  }
  const isApprover = all === undefined && typeof Object(ask).approve === 'function'
  const options = isApprover ? { approve: ask as Approver } : { ask: ask as Ask }
  const asker = askerOf({ ...options, approveNetwork, askTimeoutMs })
  if (asker.has('code')) return asker
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: '`ask` has no function for the kind `code`. Add one, or use the executor itself.',
    data: { option: 'ask', kind: 'code' },
  })
}

/** The function of an `ask` for every kind; `undefined` for an object with functions by kind. */
function allKindsOf(ask: unknown): AskFunction | undefined {
  if (typeof ask === 'function') return ask as AskFunction
  const { ask: method } = Object(ask) as { readonly ask?: unknown }
  if (typeof method !== 'function') return undefined
  return (request, options) => (ask as { readonly ask: AskFunction }).ask(request, options)
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

function kindsOf(ask: unknown): AskByKind {
  if (ask === undefined) return {}
  if (isAsk(ask)) return ask as AskByKind
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: `\`ask\` has a wrong value. It ${askShape}.`,
    data: { option: 'ask' },
  })
}

const shortForms: ReadonlyMap<AskKind, keyof Omit<AskerOptions, 'ask' | 'askTimeoutMs'>> = new Map([
  ['code', 'approve'],
  ['tool', 'approveTool'],
  ['network', 'approveNetwork'],
  ['input', 'answerInput'],
  ['install', 'approveInstall'],
])

function shortFunction(given: Approver | ((...question: never[]) => unknown)): AskFunction {
  if (typeof given === 'function') return given as AskFunction
  // A method may need its object.
  return (request, options) => given.approve(request as never, options)
}

function conflictingOptions(option: string, kind: AskKind): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `\`ask\` and \`${option}\` both answer questions of the kind \`${kind}\`. Pass only one of them.`,
    data: { option, kind },
  })
}

/** The function for a kind. */
interface Asked {
  readonly ask: AskFunction
  /** Whether `undefined` is wrong. Code has no default, and a short form that forgets to return must not allow anything. */
  readonly mustAnswer: boolean
}

class AskerOfFunctions implements Asker {
  readonly #functions: ReadonlyMap<AskKind, Asked>
  readonly #timeoutMs: number | undefined

  constructor(functions: ReadonlyMap<AskKind, Asked>, timeoutMs: number | undefined) {
    this.#functions = functions
    this.#timeoutMs = timeoutMs
  }

  has(kind: AskKind): boolean {
    return this.#functions.has(kind)
  }

  async ask<Kind extends AskKind>(
    request: AskKinds[Kind]['request'],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<AskedAnswer<Kind> | undefined> {
    const asked = this.#functions.get(request.kind)
    if (asked === undefined) return undefined
    const answer = await this.#answer(asked.ask, request, signal)
    if (answer === undefined && !asked.mustAnswer) return undefined
    return checkedAnswer(request.kind, answer)
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
