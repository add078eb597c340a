/**
 * A question about whether a program may connect to a host that is not on the allowlist. Plain data, like every approval request.
 */
export interface NetworkApprovalRequest {
  /** Discriminator for {@link ApprovalRequest}. */
  readonly kind: 'network'
  /** Unique ID. */
  readonly id: string
  /** SHA-256 hash of the host, port and executor, in hex. */
  readonly digest: string
  /** The question in one sentence: `A program wants to connect to api.example.com, port 443.` */
  readonly question: string
  /** Host name or address. */
  readonly host: string
  /** TCP port. */
  readonly port: number
  /** Name of the executor whose program is asking. Absent if a sandbox is watched without an executor. */
  readonly executor?: string
  /** Index of the block in the `execute` call, counted from 0. Absent whenever `executor` is. */
  readonly blockIndex?: number
}

/**
 * An answer to {@link NetworkApprovalRequest}. It never allows private addresses. It applies to one connection or, with
 * `remember: 'run'` in a call to `execute`, to all connections to this host and port until the call ends.
 */
export type NetworkApprovalAnswer =
  | { readonly decision: 'allow'; readonly remember?: 'run' | undefined }
  /** The program's client receives the reason in a `403` response from the proxy. */
  | { readonly decision: 'deny'; readonly reason: string; readonly remember?: 'run' | undefined }
