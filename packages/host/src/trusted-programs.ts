import { delimiter, isAbsolute, sep } from 'node:path'
import { FencedError } from '@fenced/core'
import { writableThrough } from '@fenced/core/internal'
import which from 'which'

/** npm puts it first on the PATH, whether it exists or not, and code in a project can make it. */
const binOfPackages = /[\\/]node_modules[\\/]\.bin[\\/]*$/

/**
 * Returns a PATH for programs that this process starts outside of a sandbox. Relative and empty entries are left out, and so are
 * `node_modules/.bin` and every directory in which programs of a sandbox of this process can write or create a file.
 *
 * @param path - default: the PATH of this process.
 */
export function trustedPath(path = process.env.PATH ?? ''): string {
  return path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && !binOfPackages.test(entry))
    .filter((entry) => writableThrough(`${entry}${sep}program`) === undefined)
    .join(delimiter)
}

/** Returns an environment with the {@link trustedPath} of its PATH. */
export function withTrustedPath(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const entries = Object.entries(environment).map(([name, value]) =>
    // Windows spells it `Path`.
    name.toUpperCase() === 'PATH' ? [name, trustedPath(value)] : [name, value],
  )
  return Object.fromEntries(entries)
}

/** Options of {@link findProgram}. */
export interface ProgramSearch {
  /**
   * The PATH.
   *
   * @default the PATH of this process
   */
  readonly path?: string | undefined
  /** What to do when the program is refused, as a sentence. */
  readonly advice?: string | undefined
}

/**
 * Finds a program on the {@link trustedPath} of a PATH. A name with a slash is a path, which is used as it is.
 *
 * @returns its path, or `undefined` when there is none.
 * @throws FencedError `PROGRAM_WRITABLE` when programs of a sandbox could replace it.
 */
export function findProgram(name: string, { path, advice }: ProgramSearch = {}): string | undefined {
  const trusted = trustedPath(path)
  // Without an entry `which` would look where this process was started.
  if (trusted === '' && !/[\\/]/.test(name)) return undefined
  const found = which.sync(name, { path: trusted, nothrow: true })
  if (found === null) return undefined
  requireTrusted(found, advice)
  return found
}

/**
 * Refuses a program that programs of a sandbox of this process could replace or create.
 *
 * @param advice - what to do, as a sentence.
 * @throws FencedError `PROGRAM_WRITABLE`.
 */
export function requireTrusted(
  program: string,
  advice = 'Install it elsewhere, or choose another working directory.',
): void {
  const directory = writableThrough(program)
  if (directory === undefined) return
  throw new FencedError({
    code: 'PROGRAM_WRITABLE',
    message: `${program} was not started outside of the sandbox. Code can write in ${directory}, and could replace it. ${advice}`,
  })
}
