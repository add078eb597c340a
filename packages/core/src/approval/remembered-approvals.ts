import { z } from 'zod'
import { parseInput } from '../options/parse-options.ts'
import type { ApprovalAnswer } from './approval-answer.ts'
import { type ApprovalTarget, approvalTargetSchema, type CodeApprovalRequest } from './approval-request.ts'
import { type ApprovedProgram, programsHash, programsOf, targetHash } from './code-hash.ts'

/** An answer that holds for later questions. Plain data. */
export interface RememberedApproval {
  /** The id of the request that was answered. */
  readonly id: string
  /** The remembered answer. */
  readonly decision: 'allow' | 'deny'
  /** The only target for which it is valid. */
  readonly target: ApprovalTarget
  /** The exact programs that it holds for, with their file names; absent where it holds for everything on its target. */
  readonly blocks?: readonly ApprovedProgram[]
  /** Why it was denied. */
  readonly reason?: string
}

const rememberedSchema = z.array(
  z.strictObject({
    id: z.string().min(1),
    decision: z.enum(['allow', 'deny']),
    target: approvalTargetSchema,
    blocks: z
      .array(z.strictObject({ language: z.string(), code: z.string(), fileName: z.string().optional() }))
      .optional(),
    reason: z.string().optional(),
  }),
)

/**
 * Remembered answers. Each is bound to the target of its question: executor, isolation, network, working directory,
 * limits, variables and secrets. List them with `list()`, and revoke one with `forget()`. Several executors can share them.
 */
export class RememberedApprovals {
  readonly #entries = new Map<string, RememberedApproval & { readonly key: string }>()

  /** @param saved - what {@link list} returned, for example in another process. @throws FencedError `INVALID_OPTIONS`. */
  constructor(saved: readonly RememberedApproval[] = []) {
    this.load(saved)
  }

  /** All of them, oldest first, as plain data. */
  list(): RememberedApproval[] {
    return [...this.#entries.values()].map(({ key: _key, ...entry }) => structuredClone(entry))
  }

  /** Revokes an answer: the approver gets the next such question. Returns whether an answer had this id. */
  forget(id: string): boolean {
    return this.#entries.delete(id)
  }

  /** Takes all of them back. */
  clear(): void {
    this.#entries.clear()
  }

  /** Replaces all of them. @throws FencedError `INVALID_OPTIONS`, and then nothing has changed. */
  load(saved: readonly RememberedApproval[]): void {
    const entries = parseInput(rememberedSchema, saved, 'These are no remembered approvals')
    this.#entries.clear()
    for (const entry of entries as RememberedApproval[]) this.#add(entry)
  }

  /** The answer that holds for a question; a denial comes before an approval. */
  find(request: CodeApprovalRequest): RememberedApproval | undefined {
    const keys = [targetHash(request.target)]
    if (request.remembersCode !== false) keys.push(keyOf(programsOf(request.blocks), request.target))
    const found = [...this.#entries.values()].filter(({ key }) => keys.includes(key))
    return found.find(({ decision }) => decision === 'deny') ?? found[0]
  }

  /** Keeps an answer that asks to be remembered. */
  add(answer: ApprovalAnswer, { id, target, blocks, remembersCode }: CodeApprovalRequest): void {
    if (answer.decision === 'edit') return
    const ofCode = answer.remember === 'code' && remembersCode !== false
    // A denial of everything would leave nothing to do.
    const ofTarget = answer.decision === 'allow' && answer.remember === 'conversation'
    if (!ofCode && !ofTarget) return
    this.#add({
      id,
      decision: answer.decision,
      target,
      ...(ofCode ? { blocks: programsOf(blocks) } : {}),
      ...(answer.decision === 'deny' ? { reason: answer.reason } : {}),
    })
  }

  #add(entry: RememberedApproval): void {
    const { id, blocks, target } = entry
    const key = blocks === undefined ? targetHash(target) : keyOf(blocks, target)
    this.#entries.set(id, { ...structuredClone(entry), key })
  }
}

/** Returns the key of an answer for exact code: the code and its target. */
function keyOf(programs: readonly ApprovedProgram[], target: ApprovalTarget): string {
  return `${programsHash(programs)} ${targetHash(target)}`
}
