import type { Sandbox } from '@fenced/core/sandbox'

/** Bytecode of Fenced's Python programs, compiled by this machine's interpreters. Loading it takes a fortieth of the time that compiling takes. */
export interface CompiledPrograms {
  /**
   * Returns a program as this Python has compiled it: the version of the bytecode (`MAGIC_NUMBER`, 4 bytes), then the code object
   * (`marshal`). `undefined` the first time, after which it is compiled for later.
   *
   * @param python - the command that starts the interpreter.
   */
  get(python: readonly string[], program: PythonProgram): Uint8Array | undefined
}

export interface PythonProgram {
  /** Name in tracebacks. */
  readonly name: string
  readonly source: string
}

/**
 * Returns the compiled programs of a sandbox whose interpreters belong to this machine. In any other sandbox, only code inside it could compile,
 * and that bytecode must not reach another sandbox.
 */
export function compiledProgramsOf(sandbox: Sandbox): CompiledPrograms | undefined {
  return (sandbox as { readonly compiledPrograms?: CompiledPrograms }).compiledPrograms
}
