import { FencedError } from '@fenced/core'

export type { BackendProcess, OutputSink, SandboxBackend } from '@fenced/core/sandbox'

/** A program and its arguments. */
export type Command = readonly [string, ...string[]]

/** Where the code finds its files. */
export const workingDirectoryInside = '/workspace'

/** Whether a backend rejected because the place is not there any more, so that nothing was started. */
export function isGone(error: unknown): boolean {
  return FencedError.isInstance(error) && error.code === 'SANDBOX_GONE'
}
