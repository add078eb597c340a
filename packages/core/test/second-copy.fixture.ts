import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '..')

/** All sources of this package once more, as another installed copy of it has them. */
export class SecondCopy implements AsyncDisposable {
  readonly #path: string

  private constructor(path: string) {
    this.#path = path
  }

  static async create(): Promise<SecondCopy> {
    const copy = new SecondCopy(await mkdtemp(join(tmpdir(), 'fenced-second-copy-')))
    for (const name of ['src', 'package.json']) {
      await cp(join(folder, name), join(copy.#path, name), { recursive: true })
    }
    await symlink(join(folder, 'node_modules'), join(copy.#path, 'node_modules'))
    return copy
  }

  /** @param path - of a module below `src`. */
  load<Module>(path: string): Promise<Module> {
    const file: string = join(this.#path, 'src', path)
    return import(file)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#path, { recursive: true, force: true })
  }
}
