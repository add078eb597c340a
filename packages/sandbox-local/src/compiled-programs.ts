import { compileProgram } from '@fenced/host'
import type { CompiledPrograms } from '@fenced/sandbox/driver'
import type { LocalInterpretersOptions } from './interpreters.ts'

/** Delay between the first use of a program and its compilation, in milliseconds: a process that ends sooner needs no bytecode. */
const soonMs = 1_000
/** Maximum number of interpreters whose bytecode of a program is kept. */
const mostPythons = 8

/** Bytecode of one program, by the command of the interpreter; `undefined` while the program is compiled. */
type Bytecode = Map<string, Uint8Array | undefined>

const bytecodeOf = new WeakMap<object, Bytecode>()

/** Returns the compiled programs for sandboxes that find Python in this way. */
export function compiledPrograms(search: LocalInterpretersOptions): CompiledPrograms {
  return {
    get: (python, program) => {
      const bytecode: Bytecode = bytecodeOf.get(program) ?? new Map()
      bytecodeOf.set(program, bytecode)
      const key = JSON.stringify(python)
      if (!bytecode.has(key)) {
        bytecode.set(key, undefined)
        for (const oldest of bytecode.keys()) if (bytecode.size > mostPythons) bytecode.delete(oldest)
        const keep = async () => {
          const compiled = await compileProgram(search, program).catch(() => undefined)
          if (compiled !== undefined) bytecode.set(key, compiled)
          // The next use tries again.
          else bytecode.delete(key)
        }
        setTimeout(() => void keep(), soonMs).unref()
      }
      return bytecode.get(key)
    },
  }
}
