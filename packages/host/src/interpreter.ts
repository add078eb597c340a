import type { exitCodes } from '@fenced/core'

/** A program on this machine that runs files of a language. */
export interface Interpreter {
  /** What comes before the file's path. The first part is an absolute path. */
  readonly command: readonly [string, ...string[]]
  /** Directories that it needs to read, in addition to the system directories. */
  readonly directories: readonly string[]
}

/** Nothing can run it: why, in words that say what was looked for. */
export interface NoInterpreter {
  readonly exitCode: typeof exitCodes.notFound | typeof exitCodes.notExecutable
  readonly missing: string
  /** Values used in `missing`, keyed by name. */
  readonly data?: Readonly<Record<string, string>>
}
