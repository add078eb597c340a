import { compileProgram } from '@fenced/host'
import type { CompiledPrograms } from '@fenced/sandbox/driver'
import type { LocalInterpretersOptions } from './interpreters.ts'

/** Delay between the first use of a program and its compilation, in milliseconds: a process that ends sooner needs no bytecode. */
const soonMs = 1_000
/** Maximum number of interpreters whose bytecode of a program is kept. */
const mostPythons = 8

/** By the command of the interpreter; `undefined` while a program is compiled. */
type ByPython = Map<string, Uint8Array | undefined>

const compiledForms = new WeakMap<Parameters<CompiledPrograms['get']>[1], ByPython>()

/** The compiled programs of sandboxes that find Python in this way. */
export function compiledPrograms(search: LocalInterpretersOptions): CompiledPrograms {
  return {
    get: (python, program) => {
      const forms: ByPython = compiledForms.get(program) ?? new Map()
      compiledForms.set(program, forms)
      const key = JSON.stringify(python)
      if (!forms.has(key)) {
        forms.set(key, undefined)
        for (const oldest of forms.keys()) if (forms.size > mostPythons) forms.delete(oldest)
        const keep = async () => {
          const compiled = await compileProgram(search, program).catch(() => undefined)
          if (compiled !== undefined) forms.set(key, compiled)
          // The next use tries again.
          else forms.delete(key)
        }
        setTimeout(() => void keep(), soonMs).unref()
      }
      return forms.get(key)
    },
  }
}
