import type { exitCodes } from '@fenced/core'

/** A program on this machine that runs files in a language. */
export interface Interpreter {
  /** Command line before the file's path. The first part is an absolute path. */
  readonly command: readonly [string, ...string[]]
  /** Directories that the interpreter needs to read, in addition to the system directories. */
  readonly directories: readonly string[]
}

/** No interpreter was found: the reason, including what was looked for. */
export interface NoInterpreter {
  readonly exitCode: typeof exitCodes.notFound | typeof exitCodes.notExecutable
  readonly missing: string
  /** Values used in `missing`, keyed by name. */
  readonly data?: Readonly<Record<string, string>>
}
