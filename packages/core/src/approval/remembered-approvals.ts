import { parseInput } from '../options/parse-options.ts'
import { z } from '../zod.ts'
import type { ApprovalAnswer } from './approval-answer.ts'
import { type ApprovalTarget, approvalTargetSchema, type CodeApprovalRequest } from './approval-request.ts'
import { type ApprovedProgram, programsOf } from './code-hash.ts'
import { approvalDigest } from './digest.ts'

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
  /** Digest of everything to which the answer applies: the target, the options of the call and, with `blocks`, the programs. */
  readonly digest: string
  /** Reason for the denial. */
  readonly reason?: string
}

const rememberedSchema = z.lazy(() =>
  z.array(
    z.strictObject({
      id: z.string().min(1),
      decision: z.enum(['allow', 'deny']),
      target: approvalTargetSchema,
      blocks: z
        .array(z.strictObject({ language: z.string(), code: z.string(), fileName: z.string().optional() }))
        .optional(),
      digest: z.string().regex(/^[0-9a-f]{64}$/),
      reason: z.string().optional(),
    }),
  ),
)

/**
 * Remembered answers. Each is bound to its question's target (executor, isolation, network, working directory, limits, variables
 * and secrets) and to the options of the call (`timeoutMs`, `maxWaitMs`, `tools`, `toolLimits`). Use `list()` to view them and `forget()` to revoke one. Several executors can share the same instance.
 */
export class RememberedApprovals {
  readonly #entries = new Map<string, RememberedApproval>()

  /** @param saved - Answers returned by {@link list}, for example in another process. @throws FencedError `INVALID_OPTIONS`. */
  constructor(saved: readonly RememberedApproval[] = []) {
    this.load(saved)
  }

  /** Returns all answers as plain data, oldest first. */
  list(): RememberedApproval[] {
    return structuredClone([...this.#entries.values()])
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
    for (const entry of entries as RememberedApproval[]) this.#entries.set(entry.id, structuredClone(entry))
  }

  /** Returns the answer that applies to a question, if any. Denials take precedence over approvals. */
  find(request: CodeApprovalRequest): RememberedApproval | undefined {
    const digests = [digestOfAny(request), approvalDigest(request)]
    const found = [...this.#entries.values()].filter(({ digest }) => digests.includes(digest))
    return found.find(({ decision }) => decision === 'deny') ?? found[0]
  }

  /** Stores an answer that asks to be remembered. */
  add(answer: ApprovalAnswer, request: CodeApprovalRequest): void {
    const { id, target, blocks } = request
    if (answer.decision === 'edit') return
    const ofCode = answer.remember === 'code'
    // A denial of everything would leave nothing to do.
    const ofTarget = answer.decision === 'allow' && answer.remember === 'conversation'
    if (!ofCode && !ofTarget) return
    const entry = {
      id,
      decision: answer.decision,
      target,
      ...(ofCode ? { blocks: programsOf(blocks) } : {}),
      digest: ofCode ? approvalDigest(request) : digestOfAny(request),
      ...(answer.decision === 'deny' ? { reason: answer.reason } : {}),
    }
    this.#entries.set(id, structuredClone(entry))
  }
}

/** Whether a value is {@link RememberedApprovals}, also of another installed copy of this package. */
export function isRemembered(value: unknown): boolean {
  const { find, add, list } = Object(value) as Partial<RememberedApprovals>
  return [find, add, list].every((method) => typeof method === 'function')
}

/** Digest of any programs, with the target and the options of a call. */
function digestOfAny(request: CodeApprovalRequest): string {
  return approvalDigest({ ...request, blocks: undefined })
}
