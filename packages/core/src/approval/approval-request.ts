import { z } from 'zod'
import type { CodeBlock } from '../code-block.ts'
import type { Isolation } from '../isolation.ts'
import { parseInput } from '../options/parse-options.ts'

/** A question whether code may be run. It holds all that {@link runApproved} needs to run it later. */
export interface CodeApprovalRequest {
  /** Discriminator of {@link ApprovalRequest}. */
  readonly kind: 'code'
  /** Unique id of the question. */
  readonly id: string
  /** The agent that wants to run it. */
  readonly agent: string
  /** The question in one sentence, without the code: `coder wants to run a program (python) in a container, without network (docker).` */
  readonly question: string
  /** The programs, byte for byte as they will run, in order. */
  readonly blocks: readonly ApprovalBlock[]
  /** SHA-256 over languages, code and file names of all blocks, in hex. What is run has the same. */
  readonly codeHash: string
  /** SHA-256 over all that would happen, in hex: programs, files, time limit and target. The ledger records it. */
  readonly digest: string
  /** Id of an earlier decision about the same programs, which may have run then: the question says so. */
  readonly after?: string
  /** Whether the programs can be run again from their beginning after a package was installed for them. */
  readonly mayRunAgain?: true
  /** The executor that would run the code. */
  readonly target: ApprovalTarget
  /** Files that the programs write with content from elsewhere: a tool has passed it. */
  readonly files?: readonly ApprovalFile[]
  /**
   * `false` where `remember: 'code'` does not count, as for commands of a sandbox session: they run files that are there, and
   * those may have another content the next time.
   */
  readonly remembersCode?: false
  /** Time limit for each program in milliseconds; absent where it is the executor's own. */
  readonly timeoutMs?: number
  /** The model's text around the code. */
  readonly context: string
  /** The number of the try, from 0. */
  readonly retryAttempt: number
}

/** The place of an action, and its isolation from this machine. */
export interface ApprovalTarget {
  /** In words: `on this machine, not isolated`, `in a container, without network`. */
  readonly description: string
  /** The name of the executor. */
  readonly executor: string
  /** Isolation from this machine. */
  readonly isolation: Isolation
  /** Whether the code can reach the network. */
  readonly network: boolean
  /**
   * Further limits (`memoryBytes`, `runtime`, `timeoutMs` other than the default), and inputs of programs: the names
   * of variables (`env`), and a hash of values that are not shown (`valuesHash`).
   */
  readonly particulars: Readonly<Record<string, string | number | boolean>>
  /** The working directory on this machine. Absent without a working directory. */
  readonly workDir?: string
  /** Packages that may be installed without a further question, or `any`. */
  readonly installablePackages?: readonly string[] | 'any'
}

/** One program of a request. */
export interface ApprovalBlock extends Readonly<CodeBlock> {
  /** The file that it is kept in. */
  readonly fileName?: string
  /** Packages that it installs itself, as far as that can be read: `pip install numpy`. */
  readonly packages?: readonly string[]
}

/** A file that is about to be written. */
export interface ApprovalFile {
  /** As the tool names it. */
  readonly path: string
  /** Size of the content, in bytes. */
  readonly sizeBytes: number
  /** Of the content, in hex. */
  readonly sha256: string
  /** The content; absent where it is not UTF-8, or larger than 1 MiB. */
  readonly text?: string
}

/** A target that a program kept as JSON, as {@link ApprovalTarget}. */
export const approvalTargetSchema = z.strictObject({
  description: z.string(),
  executor: z.string(),
  isolation: z.enum(['none', 'sandbox', 'container', 'vm']),
  network: z.boolean(),
  particulars: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  workDir: z.string().optional(),
  installablePackages: z.union([z.array(z.string()), z.literal('any')]).optional(),
})

const requestSchema = z.strictObject({
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
  files: z
    .array(
      z.strictObject({
        path: z.string(),
        sizeBytes: z.int().min(0),
        sha256: z.string(),
        text: z.string().optional(),
      }),
    )
    .optional(),
  remembersCode: z.literal(false).optional(),
  timeoutMs: z.number().positive().optional(),
  context: z.string(),
  retryAttempt: z.int().min(0),
})

/** A request for code that was kept as JSON. @throws FencedError `INVALID_OPTIONS`. */
export function readApprovalRequest(data: unknown): CodeApprovalRequest {
  const request = parseInput(requestSchema, data, 'This is no request for an approval of code')
  return request as unknown as CodeApprovalRequest
}
