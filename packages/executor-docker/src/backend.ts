import type { Readable } from 'node:stream'
import { FencedError } from '@fenced/core'
import type { SandboxBackend as Backend } from '@fenced/core/sandbox'

export type { BackendProcess, OutputSink } from '@fenced/core/sandbox'

/** Where blocks run: what a place must be able to do. */
export interface SandboxBackend extends Omit<Backend, 'get' | 'remove'> {
  /** A file, or a directory with all that is in it, as a tar archive; `undefined` when nothing is there. */
  get(path: string, options: { readonly signal: AbortSignal }): Promise<Readable | undefined>
  /** Removes the place. One that is gone already counts as removed. */
  remove(options?: { readonly signal?: AbortSignal }): Promise<void>
  /** What it belongs to, for messages: reads on after "the connection to". */
  readonly where: string
}

/** A program and its arguments. */
export type Command = readonly [string, ...string[]]

/** Where the code finds its files. */
export const workingDirectoryInside = '/workspace'

/** Whether a backend rejected because the place is not there any more, so that nothing was started. */
export function isGone(error: unknown): boolean {
  return FencedError.isInstance(error) && error.code === 'SANDBOX_GONE'
}
