import { knownOptions } from '../options/known-options.ts'
import type { Notice } from './code-result.ts'

/** Options for one call to `start`. */
export interface StartOptions {
  /** Cancels the start, unless another caller is waiting for it. */
  signal?: AbortSignal | undefined
  /** Called with progress during startup: an image is being pulled, leftovers were removed. Must not throw. */
  onNotice?: ((notice: Notice) => void) | undefined
}

/** Names of {@link StartOptions}. */
export const startOptionNames = { signal: true, onNotice: true } as const

/** @throws FencedError `INVALID_OPTIONS` for a name that is not an option. */
export function checkStartOptions(options: StartOptions): StartOptions {
  return knownOptions(options, startOptionNames, 'start()')
}
