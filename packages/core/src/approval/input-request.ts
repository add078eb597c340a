/** A program's question: a line that the program reads from a person while it runs. Plain data, like every approval request. */
export interface InputRequest {
  /** Discriminator for {@link ApprovalRequest}. */
  readonly kind: 'input'
  /** Unique ID. */
  readonly id: string
  /** SHA-256 hash of the prompt, the secrecy flag and the executor, in hex. */
  readonly digest: string
  /** The question in one sentence: `A program asks: "Your name? "` */
  readonly question: string
  /** The program's prompt, up to 2,000 characters. May be empty. Do not trust it, because a model wrote it. */
  readonly prompt: string
  /** Whether the answer must be hidden while it is typed, as with `getpass`, and must not be saved. */
  readonly isSecret: boolean
  /** Name of the executor whose program is asking. */
  readonly executor: string
  /** Index of the block in the `execute` call, counted from 0. */
  readonly blockIndex: number
}

/** An answer to an {@link InputRequest}. */
export type InputAnswer =
  /** One line, without its line ending. */
  | { readonly decision: 'answer'; readonly text: string }
  /** The program reads the end of its input (an `EOFError` in Python), and the result includes the reason. */
  | { readonly decision: 'deny'; readonly reason: string }
