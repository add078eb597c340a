import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { FencedError } from '@fenced/core'
import { knownOptions, trustedPath, writableThrough } from '@fenced/core/internal'
import which from 'which'

/** Returns an environment with its PATH reduced to the {@link trustedPath}. */
export function withTrustedPath<Variables extends NodeJS.ProcessEnv>(environment: Variables): Variables {
  // Windows spells it `Path`.
  const names = Object.keys(environment).filter((name) => name.toUpperCase() === 'PATH')
  const paths = names.map((name) => [name, trustedPath(environment[name])])
  return { ...environment, ...Object.fromEntries(paths) }
}

/** Returns the path of the first program of a name on a PATH, if there is one. A name with a slash is a path, which is used directly. */
export function programOnPath(name: string, path: string): string | undefined {
  for (const place of placesOf(name, path)) {
    const found = which.sync(name, { path: place, nothrow: true })
    if (found !== null) return found
  }
  return undefined
}

/** Returns the paths of all programs of a name, in the order of a PATH. A name with a slash is a path, which is used directly. */
export function programsOnPath(name: string, path: string): readonly string[] {
  return [...placesOf(name, path)].flatMap(
    (place) => which.sync(name, { path: place, all: true, nothrow: true }) ?? [],
  )
}

/**
 * Yields the directories of a PATH that have a file of a name. `which` makes an error for each directory without it, which takes four
 * times as long. It also reads directories in quotation marks. Windows adds endings to names and directories to the PATH.
 */
function* placesOf(name: string, path: string): Generator<string> {
  if (process.platform === 'win32' || name.includes('/')) return yield path
  for (const directory of path.split(delimiter)) {
    if (directory.startsWith('"') || existsSync(join(directory, name))) yield directory
  }
}

/** Options for {@link findProgram}. */
export interface ProgramSearch {
  /**
   * PATH to search.
   *
   * @default the PATH of this process
   */
  readonly path?: string | undefined
  /** Advice for when the program is refused, as a sentence. */
  readonly advice?: string | undefined
}

/**
 * Finds a program on the {@link trustedPath} of a PATH. A name with a slash is a path, which is used directly.
 *
 * @returns The program's path, or `undefined` if it was not found.
 * @throws FencedError `INVALID_OPTIONS`; `PROGRAM_WRITABLE` if sandboxed programs could replace the program.
 */
export function findProgram(name: string, search: ProgramSearch = {}): string | undefined {
  const { path, advice } = knownOptions(search, { path: true, advice: true }, 'findProgram()')
  const trusted = trustedPath(path)
  // Without an entry `which` would look where this process was started.
  if (trusted === '' && !/[\\/]/.test(name)) return undefined
  const found = programOnPath(name, trusted)
  if (found === undefined) return undefined
  requireTrusted(found, advice)
  return found
}

/**
 * Refuses a program that programs in one of this process's sandboxes could replace or create.
 *
 * @param advice - What to do, as a sentence.
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
    message: `${program} was not started outside the sandbox because code can write to ${directory} and replace it. ${advice}`,
    data: { program, directory },
  })
}
