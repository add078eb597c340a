import type { Notice } from './code-result.ts'

/** Options of one call of `start`. */
export interface StartOptions {
  /** Cancels the start, unless another caller waits for it. */
  signal?: AbortSignal | undefined
  /** Hears how the start goes: an image is pulled, leftovers were removed. Must not throw. */
  onNotice?: ((notice: Notice) => void) | undefined
}
