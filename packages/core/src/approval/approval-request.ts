import type { CodeBlock } from '@fenced/markdown'
import { parseInput } from '../options/parse-options.ts'
import type { Isolation, NetworkAccess } from '../vocabulary/isolation.ts'
import { z } from '../zod.ts'

/** A question about whether code may run. It contains everything that {@link runApproved} needs to run the code later. */
export interface CodeApprovalRequest {
  /** Discriminator for {@link ApprovalRequest}. */
  readonly kind: 'code'
  /** Unique ID of the question. */
  readonly id: string
  /** Name of the agent that wants to run the code. */
  readonly agent: string
  /**
   * The question in one sentence, without the code:
   * `coder wants to run a program (python) in a container, without network (docker).`
   */
  readonly question: string
  /** The programs in order, byte for byte as they will run. */
  readonly blocks: readonly ApprovalBlock[]
  /** SHA-256 hash of the languages, code and file names of all blocks, in hex. The code that runs has the same hash. */
  readonly codeHash: string
  /** SHA-256 hash of everything that would happen, in hex: programs, options of the call and target. Recorded in the ledger. */
  readonly digest: string
  /** ID of an earlier decision about the same programs, which may already have run. The question mentions this. */
  readonly after?: string
  /** Whether the programs may be rerun from the beginning after a missing package is installed for them. */
  readonly mayRunAgain?: true
  /** Executor that would run the code. */
  readonly target: ApprovalTarget
  /** Time of the question, in milliseconds since 1970. */
  readonly askedAt: number
  /** Time limit for each program, in milliseconds. Absent if the executor's own limit applies. */
  readonly timeoutMs?: number
  /** Total time that a program may wait for people, in milliseconds. Absent if the executor's own limit applies. */
  readonly maxWaitMs?: number
  /** Names of the host tools that the programs can call, sorted. Absent if there are none. */
  readonly tools?: readonly string[]
  /** Limits on the tool calls of each program. Absent if the defaults apply. */
  readonly toolLimits?: Readonly<Record<string, number>>
  /** The model's text around the code. */
  readonly context: string
  /** Retry attempt, counted from 0. */
  readonly retryAttempt: number
}

/** Where an action happens and how it is isolated from this machine. */
export interface ApprovalTarget {
  /** Description in words: `on this machine, not isolated`, `in a container, without network`. */
  readonly description: string
  /** Name of the executor. */
  readonly executor: string
  /** Isolation level. */
  readonly isolation: Isolation
  /** Network access of the code. */
  readonly network: NetworkAccess
  /**
   * Further limits (`memoryBytes`, `runtime`, a `timeoutMs` other than the default) and program inputs: the names of environment
   * variables (`env`) and a hash of values that are not shown (`valuesHash`).
   */
  readonly particulars: Readonly<Record<string, string | number | boolean>>
  /** Working directory on this machine, if there is one. */
  readonly workDir?: string
  /** Packages that can be installed without another question, or `any`. */
  readonly installablePackages?: readonly string[] | 'any'
}

/** One program in a request. */
export interface ApprovalBlock extends Readonly<CodeBlock> {
  /** Name of the file in which the program is saved. */
  readonly fileName?: string
  /** Packages that the program installs itself, as far as they can be detected: `pip install numpy`. */
  readonly packages?: readonly string[]
}

/** A file that is about to be written. */
export interface ApprovalFile {
  /** Path as the tool names it. */
  readonly path: string
  /** Size of the content, in bytes. */
  readonly sizeBytes: number
  /** SHA-256 hash of the content, in hex. */
  readonly sha256: string
  /** The content. Absent if it is not UTF-8 or is larger than 1 MiB. */
  readonly text?: string
}

/** A target that a program kept as JSON, as {@link ApprovalTarget}. */
export const approvalTargetSchema = z.lazy(() =>
  z.strictObject({
    description: z.string(),
    executor: z.string(),
    isolation: z.enum(['none', 'bubblewrap', 'container', 'vm']),
    network: z.enum(['none', 'list', 'open']),
    particulars: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    workDir: z.string().optional(),
    installablePackages: z.union([z.array(z.string()), z.literal('any')]).optional(),
  }),
)

const requestSchema = z.lazy(() =>
  z.strictObject({
    kind: z.literal('code'),
    id: z.string().min(1),
    agent: z.string(),
    question: z.string(),
    blocks: z.array(z.looseObject({ language: z.string(), code: z.string() })).min(1),
    codeHash: z.string(),
    digest: z.string(),
    after: z.string().optional(),
    mayRunAgain: z.literal(true).optional(),
    target: approvalTargetSchema,
    askedAt: z.number(),
    timeoutMs: z.number().positive().optional(),
    maxWaitMs: z.number().min(0).optional(),
    tools: z.array(z.string()).optional(),
    toolLimits: z.record(z.string(), z.number()).optional(),
    context: z.string(),
    retryAttempt: z.int().min(0),
  }),
)

/** A request for code that was kept as JSON. @throws FencedError `INVALID_OPTIONS`. */
export function readApprovalRequest(data: unknown): CodeApprovalRequest {
  const request = parseInput(requestSchema, data, 'This is not a request for an approval of code')
  return request as unknown as CodeApprovalRequest
}
