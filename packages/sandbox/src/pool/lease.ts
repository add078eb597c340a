import type { Notice } from '@fenced/core'

/** A sandbox or executor handed out by a pool. Disposing of the lease releases it. */
export interface Lease<Kept> extends AsyncDisposable {
  /** The started sandbox or executor. The pool starts and stops it. */
  readonly resource: Kept
  /** Whether this is the first lease of this sandbox or executor. */
  readonly isFirst: boolean
  /**
   * Notice `sandbox-replaced`, present if the key previously had a different sandbox. `data.files` is `kept` or `lost`, and
   * `data.reason` is `needed` (another caller needed its place), `idle`, `lifetime`, `uses` or `unusable`. The next lease has no
   * notice.
   */
  readonly notice?: Notice | undefined
  /**
   * Returns the sandbox to the pool. A sandbox from `acquire` is stopped. The sandbox of a key is kept for the key until no
   * lease has used it for `idleTimeoutMs`, or until another caller needs its place.
   */
  release(): Promise<void>
  /** Returns the sandbox and stops it. The key gets a clean one next time, without files. */
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
