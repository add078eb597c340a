import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Notice } from '@fenced/core'
import type { BlockIo, HostWorkDirectory, PreparedBlock } from '@fenced/core/driver'
import { firstBytes } from '@fenced/shared'
import { figuresBackend } from './embedded.ts'

/** How many pictures are taken of a block, and how large one may be, in bytes. */
const mostPictures = 50
const largestPicture = 32 * 2 ** 20

/** Shows the figures of a block, also those that it leaves open, as a notebook does. Uses a dedicated Matplotlib backend. */
export class BlockFigures {
  readonly #directory: HostWorkDirectory
  /** Relative to the directory, without an extension. */
  readonly #name: string
  /** A backend without a screen that the program chooses in place of ours, if it shows figures and saves none. */
  readonly #chosen: string | undefined

  /** Whether a program may draw: the backend costs one file, and only here. */
  static mayBeIn({ language, code, path }: PreparedBlock): boolean {
    return language.id === 'python' && path !== '' && /matplotlib|pylab|seaborn|plot/.test(code)
  }

  /** Writes the backend beside a program. */
  static async write(directory: HostWorkDirectory, { path, code }: PreparedBlock): Promise<BlockFigures> {
    const folder = posix.relative(directory.path, posix.dirname(path))
    const name = posix.join(folder, `fenced_figures_${randomBytes(6).toString('hex')}`)
    const figures = new BlockFigures(directory, { name, chosen: chosenBackend(code) })
    const levels = folder === '' ? 0 : folder.split('/').length
    await directory.write(`${figures.#name}.py`, `${figuresBackend}\nlevels = ${levels}\n`)
    return figures
  }

  private constructor(
    directory: HostWorkDirectory,
    { name, chosen }: { readonly name: string; readonly chosen: string | undefined },
  ) {
    this.#directory = directory
    this.#name = name
    this.#chosen = chosen
  }

  /** For the program's environment. */
  get variables(): Readonly<Record<string, string>> {
    return { MPLBACKEND: `module://${posix.basename(this.#name)}` }
  }

  /** Called when the program has ended and its files are there: gives its pictures as results, and removes what is ours. */
  async collect(io: Pick<BlockIo, 'result' | 'notice'>): Promise<void> {
    // The last is empty, and is there when the program shows more.
    const names = Array.from({ length: mostPictures + 1 }, (_, index) => `${this.#name}-${index + 1}.png`)
    const pictures = names.filter((each) => this.#directory.has(each))
    if (this.#chosen !== undefined && pictures.length === 0) io.notice(notShown(this.#chosen))
    if (pictures.length > mostPictures) io.notice(tooMany)
    for (const name of pictures.slice(0, mostPictures)) {
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

/** Backends of Matplotlib that show no figures. */
const names = 'agg|cairo|pdf|pgf|ps|svg|template'
const withoutScreen = new RegExp(`^(?:${names})$`, 'i')
const choiceWithoutScreen = new RegExp(
  `(?:\\buse|\\bswitch_backend|backend['"]\\]\\s*=)\\s*\\(?\\s*['"](${names})['"]`,
  'i',
)

function chosenBackend(code: string): string | undefined {
  return onlyShows(code) ? choiceWithoutScreen.exec(code)?.[1] : undefined
}

/** Whether a program shows figures, and saves none. */
function onlyShows(code: string): boolean {
  return /\bshow\(/.test(code) && !code.includes('savefig')
}

/** Reports that a cell showed figures with a backend that shows none. An earlier cell may have chosen the backend. */
export function tellHiddenFigures(
  backend: string | undefined,
  { code }: PreparedBlock,
  io: Pick<BlockIo, 'notice'>,
): void {
  if (backend !== undefined && withoutScreen.test(backend) && onlyShows(code)) io.notice(notShown(backend))
}

function notShown(backend: string): Notice {
  return {
    code: 'figures-not-shown',
    message: `The program chose the Matplotlib backend ${backend}, which shows no figures. Remove the line that chooses the backend, or save the figures with \`savefig()\`.`,
    data: { backend },
  }
}

const tooMany: Notice = {
  code: 'figures-not-shown',
  message: `The program showed more than ${mostPictures} figures, and only the first ${mostPictures} are results. Show the others in another block, or save them with \`savefig()\`.`,
  data: { limit: `${mostPictures}` },
}

/** PNG specification, 5.2. */
const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')
