import { inspect } from 'node:util'
import { type CodeBlock, FencedError } from '@fenced/core'
import { untilAborted } from '../running/until-aborted.ts'
import type { ApprovalAnswer, ApprovalRequest, Approve, Approver } from './approval-request.ts'
import { codeInPlaceHash, placeHash } from './code-hash.ts'

/** What may be run, or why nothing may. */
export type Verdict =
  | { readonly decision: 'allow'; readonly remembered: boolean }
  | {
      readonly decision: 'edit'
      readonly remembered: false
      /** What is to be run instead. */
      readonly blocks: readonly CodeBlock[]
      readonly reason?: string | undefined
    }
  | { readonly decision: 'deny'; readonly remembered: boolean; readonly reason: string }

/** Remembered answers as plain data. Each holds only for the place that it was given for, so hashes include it. */
export interface RememberedAnswers {
  /** Hashes of places in which everything may be run. */
  readonly places: readonly string[]
  /** Hashes of code with its place. */
  readonly allowed: readonly string[]
  /** Reasons by the hash of code with its place. */
  readonly denied: Readonly<Record<string, string>>
}

/** Asks before code is run, unless an earlier answer holds. */
export class ApprovalGate {
  readonly #approve: Approve | undefined
  readonly #places = new Set<string>()
  readonly #allowed = new Set<string>()
  readonly #denied = new Map<string, string>()

  /** Without somebody to ask everything may be run. */
  constructor(approve: Approve | Approver | undefined) {
    this.#approve =
      typeof approve === 'object' ? (request, options) => approve.approve(request, options) : approve
  }

  get asks(): boolean {
    return this.#approve !== undefined
  }

  /** Whether the answer is known without asking. */
  knows(request: ApprovalRequest): boolean {
    return this.#remembered(request) !== undefined
  }

  /**
   * @throws FencedError `APPROVAL_UNAVAILABLE` when nobody could be asked, with the reason as its cause; `INVALID_APPROVAL`
   * for an answer that is none; the signal's reason.
   */
  async decide(request: ApprovalRequest, signal: AbortSignal): Promise<Verdict> {
    const remembered = this.#remembered(request)
    if (remembered !== undefined) return remembered
    const answer = await this.#ask(request, signal)
    this.#remember(answer, request)
    switch (answer.decision) {
      case 'deny':
        return { decision: 'deny', remembered: false, reason: answer.reason }
      case 'edit': {
        // Copied at once: what becomes of the answer afterwards changes nothing.
        const blocks = answer.blocks.map(({ language, code }) => ({ language, code }))
        return { decision: 'edit', remembered: false, blocks, reason: answer.reason }
      }
      case 'allow':
        return { decision: 'allow', remembered: false }
    }
  }

  /** Forgets all answers. */
  clear(): void {
    this.load({ places: [], allowed: [], denied: {} })
  }

  save(): RememberedAnswers {
    return {
      places: [...this.#places],
      allowed: [...this.#allowed],
      denied: Object.fromEntries(this.#denied),
    }
  }

  load({ places, allowed, denied }: RememberedAnswers): void {
    this.#places.clear()
    for (const hash of places) this.#places.add(hash)
    this.#allowed.clear()
    for (const hash of allowed) this.#allowed.add(hash)
    this.#denied.clear()
    for (const [hash, reason] of Object.entries(denied)) this.#denied.set(hash, reason)
  }

  async #ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    let answer: unknown
    try {
      // A copy: whoever decides must not be able to change what is run by changing what was shown.
      const asked = this.#approve?.(structuredClone(request), { signal })
      answer = await untilAborted(Promise.resolve(asked), signal)
    } catch (error) {
      signal.throwIfAborted()
      throw unavailable(request, error)
    }
    if (isAnswer(answer)) return answer
    throw invalid(answer)
  }

  #remembered(request: ApprovalRequest): Verdict | undefined {
    const hash = request.remembersCode === false ? '' : codeInPlaceHash(request)
    const denial = this.#denied.get(hash)
    if (denial !== undefined) return { decision: 'deny', remembered: true, reason: denial }
    const isAllowed = this.#allowed.has(hash) || this.#places.has(placeHash(request.place))
    return isAllowed ? { decision: 'allow', remembered: true } : undefined
  }

  #remember(answer: ApprovalAnswer, request: ApprovalRequest): void {
    if (answer.decision === 'edit') return
    if (answer.remember === 'code' && request.remembersCode !== false) {
      const hash = codeInPlaceHash(request)
      if (answer.decision === 'deny') this.#denied.set(hash, answer.reason)
      else this.#allowed.add(hash)
    } else if (answer.decision === 'allow' && answer.remember === 'conversation') {
      this.#places.add(placeHash(request.place))
    }
  }
}

function isAnswer(answer: unknown): answer is ApprovalAnswer {
  const { decision, reason, blocks } = fieldsOf(answer)
  switch (decision) {
    case 'allow':
      return true
    case 'deny':
      return typeof reason === 'string'
    case 'edit':
      return Array.isArray(blocks) && blocks.length > 0 && blocks.every(isProgram)
    default:
      return false
  }
}

function isProgram(block: unknown): boolean {
  const { language, code } = fieldsOf(block)
  return typeof language === 'string' && typeof code === 'string'
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function invalid(answer: unknown): FencedError {
  return new FencedError({
    code: 'INVALID_APPROVAL',
    message: `An approval answers { decision: 'allow' }, { decision: 'deny', reason } or { decision: 'edit', blocks } with at least one block; this one answered ${inspect(answer, { depth: 1 })}. Nothing was run.`,
  })
}

function unavailable({ agent }: ApprovalRequest, cause: unknown): FencedError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new FencedError({
    code: 'APPROVAL_UNAVAILABLE',
    message: `${agent} could ask nobody whether its code may be run, so it was not run: ${reason}`,
    cause,
  })
}
