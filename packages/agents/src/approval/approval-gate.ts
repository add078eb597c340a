import { inspect } from 'node:util'
import { type CodeBlock, FencedError } from '@fenced/core'
import { untilAborted } from '../running/until-aborted.ts'
import type { ApprovalAnswer, ApprovalRequest, Approve, Approver } from './approval-request.ts'

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

/** Answers that hold on, as plain data. */
export interface RememberedAnswers {
  readonly conversation: boolean
  readonly allowed: readonly string[]
  readonly denied: Readonly<Record<string, string>>
}

/** Asks before code is run, unless an earlier answer holds. */
export class ApprovalGate {
  readonly #approve: Approve | undefined
  #allowsAll = false
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
  knows({ codeHash: hash }: ApprovalRequest): boolean {
    return this.#allowsAll || this.#allowed.has(hash) || this.#denied.has(hash)
  }

  /**
   * @throws FencedError `APPROVAL_UNAVAILABLE` when nobody could be asked, with the reason as its cause; `INVALID_APPROVAL`
   * for an answer that is none; the signal's reason.
   */
  async decide(request: ApprovalRequest, signal: AbortSignal): Promise<Verdict> {
    const { codeHash: hash } = request
    const denial = this.#denied.get(hash)
    if (denial !== undefined) return { decision: 'deny', remembered: true, reason: denial }
    if (this.knows(request)) return { decision: 'allow', remembered: true }
    const answer = await this.#ask(request, signal)
    this.#remember(answer, hash)
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
    this.load({ conversation: false, allowed: [], denied: {} })
  }

  save(): RememberedAnswers {
    return {
      conversation: this.#allowsAll,
      allowed: [...this.#allowed],
      denied: Object.fromEntries(this.#denied),
    }
  }

  load({ conversation, allowed, denied }: RememberedAnswers): void {
    this.#allowsAll = conversation
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

  #remember(answer: ApprovalAnswer, hash: string): void {
    if (answer.decision === 'deny' && answer.remember === 'code') this.#denied.set(hash, answer.reason)
    if (answer.decision !== 'allow') return
    if (answer.remember === 'code') this.#allowed.add(hash)
    if (answer.remember === 'conversation') this.#allowsAll = true
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
