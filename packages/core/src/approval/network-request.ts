/** A question: may a program connect to a host that is not in the list? Plain data, as every approval request. */
export interface NetworkApprovalRequest {
  /** Discriminator of {@link ApprovalRequest}. */
  readonly kind: 'network'
  /** Unique. */
  readonly id: string
  /** SHA-256 over host, port and executor, in hex. */
  readonly digest: string
  /** The question in one sentence: `A program wants to connect to api.example.com, port 443.` */
  readonly question: string
  /** Name or address of the host. */
  readonly host: string
  /** TCP port. */
  readonly port: number
  /** The name of the executor whose program asks; absent where a sandbox is watched and no executor. */
  readonly executor?: string
  /** Index of the block in the call of `execute`, from 0; absent as `executor`. */
  readonly blockIndex?: number
}

/**
 * An answer to {@link NetworkApprovalRequest}. It never allows private addresses. It is for one connection; with
 * `remember: 'run'`, and where `execute` asks, for all connections to this host and port until the call ends.
 */
export type NetworkApprovalAnswer =
  | { readonly decision: 'allow'; readonly remember?: 'run' | undefined }
  /** The program's client gets the reason as an answer of the proxy, `403`. */
  | { readonly decision: 'deny'; readonly reason: string; readonly remember?: 'run' | undefined }

/**
 * Decides whether a program may connect to a host that is not in the list. The program waits: with its time limit, up to
 * `maxWaitMs` per block, where `execute` asks, and in its time where a sandbox is watched. A rejection denies; `signal` is aborted when
 * the program no longer waits.
 */
export type ApproveNetwork = (
  request: NetworkApprovalRequest,
  options: { readonly signal: AbortSignal },
) => NetworkApprovalAnswer | Promise<NetworkApprovalAnswer>
