import type { Notice } from './code-result.ts'

/** Options for one call to `start`. */
export interface StartOptions {
  /** Cancels the start, unless another caller is waiting for it. */
  signal?: AbortSignal | undefined
  /** Called with progress during startup: an image is being pulled, leftovers were removed. Must not throw. */
  onNotice?: ((notice: Notice) => void) | undefined
}
