import type { Notice } from '@fenced/core'

/** What a pool handed out. Disposing of it releases it. */
export interface Lease<Kept> extends AsyncDisposable {
  /** The sandbox or executor, started. The pool starts and stops it. */
  readonly resource: Kept
  /** Whether no earlier lease had this sandbox or executor. */
  readonly isFirst: boolean
  /**
   * Present where the session had another sandbox before: `session-ended`. `data.files` is `kept` or `lost`, and `data.reason` is
   * `needed` (another caller needed its place), `idle`, `lifetime`, `uses` or `unusable`. The next lease has no notice.
   */
  readonly notice?: Notice | undefined
  /**
   * Returns the sandbox to the pool. After `acquire` it is stopped. A sandbox of a session stays for the session, until no lease has used it for
   * `idleTimeoutMs`, or another caller needs its place.
   */
  release(): Promise<void>
  /** Gives it back and stops it. The session begins with a clean one, without files, the next time. */
  discard(): Promise<void>
}

interface LeaseEnds {
  readonly release: () => Promise<void>
  readonly discard: () => Promise<void>
}

/** A lease that ends once, by the first of the two. */
export function leaseOf<Kept>(
  given: Pick<Lease<Kept>, 'resource' | 'isFirst' | 'notice'>,
  ends: LeaseEnds,
): Lease<Kept> {
  let ended: Promise<void> | undefined
  const release = () => {
    ended ??= ends.release()
    return ended
  }
  const discard = () => {
    ended ??= ends.discard()
    return ended
  }
  return { ...given, release, discard, [Symbol.asyncDispose]: release }
}
