import { z } from 'zod'
import { parseInput } from '../options/parse-options.ts'
import type { ApprovalAnswer } from './approval-answer.ts'
import { type ApprovalTarget, approvalTargetSchema, type CodeApprovalRequest } from './approval-request.ts'
import { type ApprovedProgram, programsHash, programsOf, targetHash } from './code-hash.ts'

/** An answer that also applies to later questions. Plain data. */
export interface RememberedApproval {
  /** ID of the request that was answered. */
  readonly id: string
  /** The remembered answer. */
  readonly decision: 'allow' | 'deny'
  /** The only target for which the answer is valid. */
  readonly target: ApprovalTarget
  /** The exact programs to which the answer applies, with their file names. Absent if it applies to everything on its target. */
  readonly blocks?: readonly ApprovedProgram[]
  /** Reason for the denial. */
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
 * Remembered answers. Each is bound to its question's target: executor, isolation, network, working directory, limits, variables
 * and secrets. Use `list()` to view them and `forget()` to revoke one. Several executors can share the same instance.
 */
export class RememberedApprovals {
  readonly #entries = new Map<string, RememberedApproval & { readonly key: string }>()

  /** @param saved - Answers returned by {@link list}, for example in another process. @throws FencedError `INVALID_OPTIONS`. */
  constructor(saved: readonly RememberedApproval[] = []) {
    this.load(saved)
  }

  /** Returns all answers as plain data, oldest first. */
  list(): RememberedApproval[] {
    return [...this.#entries.values()].map(({ key: _key, ...entry }) => structuredClone(entry))
  }

  /** Revokes an answer, so that the approver is asked again. Returns whether an answer with this ID existed. */
  forget(id: string): boolean {
    return this.#entries.delete(id)
  }

  /** Revokes all answers. */
  clear(): void {
    this.#entries.clear()
  }

  /** Replaces all answers. @throws FencedError `INVALID_OPTIONS`, in which case nothing changes. */
  load(saved: readonly RememberedApproval[]): void {
    const entries = parseInput(rememberedSchema, saved, 'These are not remembered approvals')
    this.#entries.clear()
    for (const entry of entries as RememberedApproval[]) this.#add(entry)
  }

  /** Returns the answer that applies to a question, if any. Denials take precedence over approvals. */
  find(request: CodeApprovalRequest): RememberedApproval | undefined {
    const keys = [targetHash(request.target)]
    if (request.remembersCode !== false) keys.push(keyOf(programsOf(request.blocks), request.target))
    const found = [...this.#entries.values()].filter(({ key }) => keys.includes(key))
    return found.find(({ decision }) => decision === 'deny') ?? found[0]
  }

  /** Stores an answer that asks to be remembered. */
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
