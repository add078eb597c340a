import { compileProgram, type PythonSearch } from '@fenced/host'
import type { CompiledPrograms, PythonProgram } from '@fenced/sandbox/driver'

/** How long after its first use a program is compiled for later uses, in milliseconds: a process that ends before needs none. */
const soonMs = 1_000
/** For how many interpreters a program is kept. */
const mostPythons = 8

/** By the command of the interpreter; `undefined` while a program is compiled, and where it could not be. */
type ByPython = Map<string, Uint8Array | undefined>

const compiledForms = new WeakMap<PythonProgram, ByPython>()

/** The compiled programs of sandboxes that find Python in this way. */
export function compiledPrograms(search: PythonSearch): CompiledPrograms {
  return {
    get: (python, program) => {
      const forms: ByPython = compiledForms.get(program) ?? new Map()
      compiledForms.set(program, forms)
      const key = JSON.stringify(python)
      if (!forms.has(key)) {
        forms.set(key, undefined)
        for (const oldest of forms.keys()) if (forms.size > mostPythons) forms.delete(oldest)
        const keep = async () => forms.set(key, await compileProgram(search, program))
        // Otherwise Python compiles for each use.
        setTimeout(() => void keep().catch(() => {}), soonMs).unref()
      }
      return forms.get(key)
    },
  }
}
