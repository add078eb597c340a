import { FencedError } from '@fenced/core'
import { trustedPath, writableThrough } from '@fenced/core/internal'
import which from 'which'

/** Returns an environment with the {@link trustedPath} of its PATH. */
export function withTrustedPath<Variables extends NodeJS.ProcessEnv>(environment: Variables): Variables {
  // Windows spells it `Path`.
  const names = Object.keys(environment).filter((name) => name.toUpperCase() === 'PATH')
  const paths = names.map((name) => [name, trustedPath(environment[name])])
  return { ...environment, ...Object.fromEntries(paths) }
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
 * Finds a program on the {@link trustedPath} of a PATH. A name with a slash is a path, which is used directly.
 *
 * @returns its path, or `undefined` when it was not found.
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
    message: `${program} was not started outside of the sandbox, because code can write in ${directory} and replace it. ${advice}`,
    data: { program, directory },
  })
}
