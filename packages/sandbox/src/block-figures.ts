import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { BlockIo, HostWorkDirectory, PreparedBlock } from '@fenced/core/driver'
import { firstBytes } from '@fenced/core/internal'
import { figuresBackend } from './embedded.ts'

/** How many pictures are taken of a block, and how large one may be, in bytes. */
const mostPictures = 50
const largestPicture = 32 * 2 ** 20

/** Shows the figures of a block, also those that it leaves open, as a notebook does. Uses a dedicated Matplotlib backend. */
export class BlockFigures {
  readonly #directory: HostWorkDirectory
  /** Relative to the directory, without an extension. */
  readonly #name: string

  /** Whether a program may draw: the backend costs one file, and only here. */
  static mayBeIn({ language, code, path }: PreparedBlock): boolean {
    return language.id === 'python' && path !== '' && /matplotlib|pylab|seaborn|plot/.test(code)
  }

  /** Writes the backend beside a program. */
  static async write(directory: HostWorkDirectory, { path }: PreparedBlock): Promise<BlockFigures> {
    const folder = posix.relative(directory.path, posix.dirname(path))
    const figures = new BlockFigures(
      directory,
      posix.join(folder, `fenced_figures_${randomBytes(6).toString('hex')}`),
    )
    const levels = folder === '' ? 0 : folder.split('/').length
    await directory.write(`${figures.#name}.py`, `${figuresBackend}\nlevels = ${levels}\n`)
    return figures
  }

  private constructor(directory: HostWorkDirectory, name: string) {
    this.#directory = directory
    this.#name = name
  }

  /** For the program's environment. */
  get variables(): Readonly<Record<string, string>> {
    return { MPLBACKEND: `module://${posix.basename(this.#name)}` }
  }

  /** Called when the program has ended and its files are there: gives its pictures as results, and removes what is ours. */
  async collect(io: Pick<BlockIo, 'result'>): Promise<void> {
    const names = Array.from({ length: mostPictures }, (_, index) => `${this.#name}-${index + 1}.png`)
    for (const name of names.filter((each) => this.#directory.has(each))) {
      const picture = await this.#read(name).catch(() => undefined)
      if (picture !== undefined) io.result({ 'image/png': picture.toString('base64') })
    }
    // A file that was being written when the program ended has the suffix `.part`.
    const ours = [`${this.#name}.py`, ...names, ...names.map((name) => `${name}.part`)]
    const left = ours.filter((name) => this.#directory.has(name))
    await Promise.all(left.map((name) => this.#directory.remove(name).catch(() => {})))
  }

  /** Reads a picture without following a link; `undefined` for any other content, because a program can put anything there. */
  async #read(name: string): Promise<Buffer | undefined> {
    await using file = await this.#directory.openFile(name)
    if (file === undefined) return undefined
    const { size } = await file.stat()
    if (size > largestPicture) return undefined
    const content = await buffer(firstBytes(file, size))
    return content.subarray(0, pngSignature.length).equals(pngSignature) ? content : undefined
  }
}

/** PNG specification, 5.2. */
const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')
