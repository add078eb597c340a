import type { Notice } from './code-result.ts'

/** Options of one call of `start`. */
export interface StartOptions {
  /** Gives the start up, unless somebody else waits for it as well. */
  signal?: AbortSignal | undefined
  /** Hears how the start goes: an image is pulled, leftovers were removed. Must not throw. */
  onNotice?: ((notice: Notice) => void) | undefined
}
