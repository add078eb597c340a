import type { ExecutorSandbox, SandboxFiles } from '@fenced/core/sandbox'
import type { FileLookups, FoundPath } from './file-scripts.ts'

/** The same answers without a process. A link is neither followed nor a file. */
export class EntryLookups implements FileLookups {
  readonly #files: SandboxFiles
  readonly #directory: string

  constructor({ files, directory }: ExecutorSandbox) {
    this.#files = files
    this.#directory = directory
  }

  async stat(path: string, signal: AbortSignal | undefined): Promise<FoundPath> {
    // A sandbox's files do not describe the directory itself.
    if (path === this.#directory) return { type: 'directory', size: 0 }
    const entry = await this.#files.stat(path, { signal })
    if (entry === undefined) return { type: 'missing', isLink: false }
    const { kind, sizeBytes: size } = entry
    return { type: kind === 'link' ? 'other' : kind, size }
  }

  async delete(path: string, signal: AbortSignal | undefined): Promise<'deleted' | 'missing' | 'directory'> {
    const { type } = await this.stat(path, signal)
    if (type === 'missing' || type === 'directory') return type
    await this.#files.remove(path, { signal })
    return 'deleted'
  }
}
