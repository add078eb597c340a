import type { Sandbox } from '@fenced/core/sandbox'

/** What the interpreters of this machine have compiled of programs of ours. To read it takes a fortieth of the time. */
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
 * Returns the compiled programs of a sandbox whose interpreters belong to this machine. Elsewhere only a program of the sandbox could
 * compile, and no other sandbox may use what it makes.
 */
export function compiledProgramsOf(sandbox: Sandbox): CompiledPrograms | undefined {
  return (sandbox as { readonly compiledPrograms?: CompiledPrograms }).compiledPrograms
}
