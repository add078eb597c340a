/** A line of a program, or of code that it called, that was running when an error was raised. */
export interface ErrorFrame {
  /**
   * File of the line: its path relative to the working directory if it is in there, otherwise as the interpreter gives it. A block
   * without a file of its own is `block 1`, counted from 1; a cell of a kernel is `cell 1`, by its execution count.
   */
  readonly file: string
  /** Line in the file, counted from 1. */
  readonly line: number
  /** Index of the block in the call, counted from 0, if the line belongs to the block that failed. */
  readonly blockIndex?: number
  /** Function, as the interpreter names it. Absent at the top level of a file or cell. */
  readonly function?: string
  /** The line's code, if the interpreter shows it. */
  readonly code?: string
  /** How often the same frame follows, in a recursion. It is listed once. */
  readonly repeated?: number
}

/** The error that ended a program in Python, JavaScript or TypeScript. */
export interface ProgramError {
  /** Name of the error's class, without its module: `ZeroDivisionError`, `TypeError`. `Uncaught` for a thrown value that is no error. */
  readonly name: string
  /** The error's message, at most 8,192 characters. Python's notes follow on lines of their own. */
  readonly message: string
  /** At most 200 frames, the one that raised the error last. */
  readonly traceback: readonly ErrorFrame[]
  /** The interpreter's whole text about the error, with the errors that caused it, at most 65,536 characters from its end. */
  readonly text: string
  /**
   * `kernel` if a Jupyter kernel or a Python session reported the error as data, and `stderr` if it was read from the end of stderr. A program that prints
   * such a text and exits with code 1 has an error, too.
   */
  readonly source: 'kernel' | 'stderr'
}

/**
 * An error as a driver or an interpreter names it. The frames of the block have its file, or an empty name if it has none. The engine
 * limits it.
 */
export type RaisedError = Omit<ProgramError, 'source'>
