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
  return which.sync(name, { path, nothrow: true }) ?? undefined
}

/** Returns the paths of all programs of a name, in the order of a PATH. A name with a slash is a path, which is used directly. */
export function programsOnPath(name: string, path: string): readonly string[] {
  return which.sync(name, { path, all: true, nothrow: true }) ?? []
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
