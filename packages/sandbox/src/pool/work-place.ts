import { TemporaryDirectory } from '@fenced/core/internal'
import type { PoolCreateOptions } from './pool-options.ts'

/** The working directory of a member of a pool. It is made when `create` reads its path, and can outlive the member for its key. */
export class WorkPlace implements PoolCreateOptions {
  /** Whether it outlives its member. */
  isKept = false
  #directory: TemporaryDirectory | undefined

  get workDir(): string {
    this.#directory ??= TemporaryDirectory.make()
    return this.#directory.path
  }

  /** Whether there is a directory. */
  get hasFiles(): boolean {
    return this.#directory !== undefined
  }

  /** Removes the directory. It can be repeated after a failure. */
  async remove(): Promise<void> {
    await this.#directory?.remove()
    this.#directory = undefined
  }
}
