import type { CodeBlock, Isolation } from '@fenced/core'

/** What somebody is asked before code is run. Plain data: a terminal and a web page can both show it. */
export interface ApprovalRequest {
  id: string
  /** The agent that wants to run it. */
  agent: string
  /** The programs, byte for byte as they will run, in order. */
  blocks: readonly ApprovalBlock[]
  /** SHA-256 over languages and code of all blocks, in hex. What is run has the same. */
  codeHash: string
  /** Where it would run, in the executor's own words. */
  place: {
    executor: string
    isolation: Isolation
    network: boolean
    /** What else bounds it: `memoryBytes`, `runtime`, ... */
    particulars: Readonly<Record<string, string | number | boolean>>
    /** The working directory on this machine; absent where there is none. */
    workDir?: string
    /** What may be installed without asking again: packages, or `any`. */
    installablePackages?: readonly string[] | 'any'
  }
  /** Files that the programs write with content that stands in none of them: a tool has handed it over. */
  files?: readonly ApprovalFile[]
  /**
   * `false` where `remember: 'code'` does not count, as for commands of a sandbox session: they run files of the place, and
   * those may have another content the next time.
   */
  remembersCode?: false
  /** What the model wrote around the code. */
  context: string
  /** The number of the try, from 0. */
  retryAttempt: number
}

/** One program of a request. */
export interface ApprovalBlock extends Pick<CodeBlock, 'language' | 'code'> {
  /** The file that its first line names. */
  fileName?: string
  /** Packages that it installs itself, as far as that can be read: `pip install numpy`. */
  packages?: readonly string[]
}

/** A file that is about to be written. */
export interface ApprovalFile {
  /** As the tool names it. */
  path: string
  sizeBytes: number
  /** Of the content, in hex. */
  sha256: string
  /** The content; absent where it is not UTF-8, or larger than 1 MiB. */
  text?: string
}

/**
 * An answer: to run it, not to run it, or to run something else. `remember` lets an answer hold for this exact code from
 * now on (`code`), or for everything in this conversation (`conversation`), both only in the place of the question: the same
 * executor, isolation, network and working directory. Default: for this time only.
 */
export type ApprovalAnswer =
  | { readonly decision: 'allow'; readonly remember?: 'code' | 'conversation' | undefined }
  | { readonly decision: 'deny'; readonly reason: string; readonly remember?: 'code' | undefined }
  | {
      readonly decision: 'edit'
      readonly blocks: readonly Pick<CodeBlock, 'language' | 'code'>[]
      readonly reason?: string | undefined
    }

/**
 * Decides whether code may be run.
 *
 * @throws FencedError `HUMAN_INPUT_UNAVAILABLE` (or anything else) when nobody could be asked. Then nothing is run, and the
 *   run of the agent fails; it does not count as a denial.
 */
export type Approve = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => ApprovalAnswer | Promise<ApprovalAnswer>

/** Somebody who decides and keeps something in mind, as an object. */
export interface Approver {
  approve: Approve
}
