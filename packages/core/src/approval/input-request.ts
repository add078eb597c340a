/** A question of a program: a line that it reads from a person while it runs. Plain data, as every approval request. */
export interface InputRequest {
  /** Discriminator of {@link ApprovalRequest}. */
  readonly kind: 'input'
  /** Unique. */
  readonly id: string
  /** SHA-256 over prompt, secrecy and executor, in hex. */
  readonly digest: string
  /** The question in one sentence: `A program asks: "Your name? "` */
  readonly question: string
  /** The program's prompt, up to 2,000 characters. It can be empty. Do not trust it: a model wrote it. */
  readonly prompt: string
  /** Whether the answer is not to be shown while it is typed, as with `getpass`, and not to be kept. */
  readonly isSecret: boolean
  /** The name of the executor whose program asks. */
  readonly executor: string
  /** Index of the block in the call of `execute`, from 0. */
  readonly blockIndex: number
}

/** An answer to {@link InputRequest}. */
export type InputAnswer =
  /** One line, without its end. */
  | { readonly decision: 'answer'; readonly text: string }
  /** The program reads the end of its input, which is an `EOFError` in Python, and the result has the reason. */
  | { readonly decision: 'deny'; readonly reason: string }

/**
 * Answers a program that reads a line. The program waits, and its time limit with it, up to `maxWaitMs` per block. A rejection denies;
 * `signal` is aborted when the program no longer waits.
 */
export type AnswerInput = (
  request: InputRequest,
  options: { readonly signal: AbortSignal },
) => InputAnswer | Promise<InputAnswer>
