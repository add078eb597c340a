import type { Language } from '@fenced/core'
import { raceAbort } from '@fenced/shared'
import type { CommandLineDriverParts } from './command-line-driver-parts.ts'
import {
  type FoundInterpreter,
  type InterpreterFinder,
  type MissingInterpreter,
  SandboxInterpreters,
} from './interpreters.ts'
import { compiledProgramsOf } from './resident-python/compiled-programs.ts'
import type { ResidentPythonTarget } from './resident-python/resident-python.ts'
import { sharedPythonsOf } from './resident-python/shared-pythons.ts'
import type { WarmPython } from './resident-python/warm-python.ts'
import type { StatefulPython } from './session/stateful-python.ts'

/** Languages whose programs run without a file where a fork of the resident Python runs them. */
export const languagesWithoutFile: readonly string[] = ['python', 'sh', 'bash']

/** What Python blocks run in: the session, the resident Python, or neither. */
export interface Pythons {
  readonly session: StatefulPython | undefined
  readonly warm: WarmPython | undefined
}

/** Finds the interpreter of a block before its time begins, and gets the Python ready in which it runs. */
export class BlockPreparation {
  readonly #parts: CommandLineDriverParts
  readonly #pythons: Pythons
  readonly #interpreters: InterpreterFinder
  readonly #python: Language | undefined
  /** What was found for the block that comes next. */
  #prepared:
    | {
        readonly id: string
        readonly incarnation: string | undefined
        readonly found: FoundInterpreter | MissingInterpreter
      }
    | undefined

  constructor(parts: CommandLineDriverParts, pythons: Pythons) {
    const { sandbox, languages, interpreters } = parts
    this.#parts = parts
    this.#pythons = pythons
    this.#interpreters = interpreters ?? new SandboxInterpreters(sandbox, languages)
    this.#python = languages.find(({ id }) => id === 'python')
  }

  /** Loads the packages that the resident Python is to have. */
  async preload(signal: AbortSignal): Promise<void> {
    if (this.#python === undefined || this.#pythons.warm?.hasPreload !== true) return
    await this.#prepareWarm(await this.#interpreters.find(this.#python, signal), signal)
  }

  async prepare(language: Language, signal: AbortSignal): Promise<void> {
    this.#prepared = undefined
    const found = await raceAbort(this.#interpreters.find(language, signal), signal)
    if (found === 'aborted') return
    this.#prepared = { id: language.id, incarnation: this.#parts.sandbox.id, found }
    if (language.id === 'python') return this.#preparePython(found, signal)
    await this.#prepareOther(language, signal)
    if (this.#pythons.session?.keepsFiles === true) await this.#prepareSession(signal)
  }

  /** An interpreter that was not found is not searched for again while its block runs. */
  async interpreterOf(
    language: Language,
    signal: AbortSignal,
  ): Promise<FoundInterpreter | MissingInterpreter> {
    const prepared = this.#prepared
    const isCurrent = prepared?.id === language.id && prepared.incarnation === this.#parts.sandbox.id
    return isCurrent ? prepared.found : this.#interpreters.find(language, signal)
  }

  targetOf(python: FoundInterpreter['command']): ResidentPythonTarget {
    const { sandbox } = this.#parts
    return { sandbox, python, shared: sharedPythonsOf(sandbox), compiled: compiledProgramsOf(sandbox) }
  }

  /** Gets the resident Python ready while no block runs. */
  scheduleIdle(): void {
    const python = this.#python
    if (python === undefined) return
    this.#pythons.warm?.scheduleIdle(async (signal) => {
      const found = await this.#interpreters.find(python, signal)
      return 'command' in found ? this.targetOf(found.command) : undefined
    })
  }

  async #preparePython(found: FoundInterpreter | MissingInterpreter, signal: AbortSignal): Promise<void> {
    const { session } = this.#pythons
    if (session === undefined) return this.#prepareWarm(found, signal)
    if ('command' in found) await session.prepare(this.targetOf(found.command), signal)
  }

  /** A session keeps the files for blocks of other languages, too. */
  async #prepareSession(signal: AbortSignal): Promise<void> {
    if (this.#python === undefined) return
    const found = await raceAbort(this.#interpreters.find(this.#python, signal), signal)
    if (found !== 'aborted') await this.#preparePython(found, signal)
  }

  async #prepareWarm(found: FoundInterpreter | MissingInterpreter, signal: AbortSignal): Promise<void> {
    // Without one the block says so.
    if (!('command' in found)) return
    await this.#pythons.warm?.prepare(this.targetOf(found.command), signal)
  }

  /** Only a fork runs a shell program without a file. For another language, a fork is faster if executors share a Python that is there. */
  async #prepareOther({ id }: Language, signal: AbortSignal): Promise<void> {
    const [python, { warm }] = [this.#python, this.#pythons]
    if (python === undefined || warm === undefined || warm.isRunning) return
    const waits = languagesWithoutFile.includes(id)
    if (!waits && sharedPythonsOf(this.#parts.sandbox)?.isAnyReady() !== true) return
    const found = await raceAbort(this.#interpreters.find(python, signal), signal)
    if (found === 'aborted' || !('command' in found)) return
    await warm.prepareOther(this.targetOf(found.command), { waits, signal })
  }
}
