import { exitCodes, type Language, type Notice } from '@fenced/core'
import type { Sandbox } from '@fenced/core/sandbox'

/** An interpreter for a language: the part of the command line before the file's path. */
export interface FoundInterpreter {
  readonly command: readonly [string, ...string[]]
  /** Notice for readers of the result, added to each block. */
  readonly notice?: Notice | undefined
}

/** No interpreter was found: the reason, including what was looked for. */
export interface MissingInterpreter {
  readonly missing: string
  readonly exitCode: typeof exitCodes.notFound | typeof exitCodes.notExecutable
  /** Values used in `missing`, keyed by name. */
  readonly data?: Readonly<Record<string, string>>
}

/** Finds the interpreter for a language. */
export interface InterpreterFinder {
  find(language: NamedLanguage, signal?: AbortSignal): Promise<FoundInterpreter | MissingInterpreter>
}

/** The parts of a language that are needed to find its interpreter. */
export type NamedLanguage = Pick<Language, 'id' | 'commands'>

/** What runs a language where its own interpreter is not there: small images have no bash. */
const substitutes: Readonly<Record<string, readonly (readonly string[])[]>> = { bash: [['sh']] }

/** Returns the names of all programs that the languages may need. */
export function programsOf(languages: readonly Language[]): string[] {
  return [...new Set(languages.flatMap((language) => candidates(language).map(([name = '']) => name)))]
}

/** Finds a sandbox's interpreters by name, once per incarnation. */
export class SandboxInterpreters implements InterpreterFinder {
  readonly #sandbox: Sandbox
  readonly #names: readonly string[]
  #incarnation: string | undefined
  #programs: Promise<ReadonlyMap<string, string>> | undefined

  /** @param languages - Languages that may have to be run. All interpreters are looked up together. */
  constructor(sandbox: Sandbox, languages: readonly Language[]) {
    this.#sandbox = sandbox
    this.#names = programsOf(languages)
  }

  async find(language: NamedLanguage, signal?: AbortSignal): Promise<FoundInterpreter | MissingInterpreter> {
    const programs = await this.#find(signal)
    const all = candidates(language)
    const index = all.findIndex(([name = '']) => programs.has(name))
    const [name = '', ...args] = all[index] ?? []
    if (index === -1) return missing(language, programs)
    const isSubstitute = index >= (language.commands?.length ?? 0)
    return {
      command: [programs.get(name) ?? name, ...args],
      notice: isSubstitute ? substituted(language, name) : undefined,
    }
  }

  #find(signal: AbortSignal | undefined): Promise<ReadonlyMap<string, string>> {
    if (this.#programs === undefined || this.#incarnation !== this.#sandbox.id) {
      this.#incarnation = this.#sandbox.id
      this.#programs = this.#sandbox.which(this.#names, signal === undefined ? {} : { signal })
      this.#programs.catch(() => {
        this.#programs = undefined
      })
    }
    return this.#programs
  }
}

function candidates({ id, commands = [] }: NamedLanguage): readonly (readonly string[])[] {
  return [...commands, ...(substitutes[id] ?? [])]
}

function substituted({ id }: NamedLanguage, name: string): Notice {
  return {
    code: 'interpreter-substituted',
    message: `${id} is not installed, so ${name} runs this block.`,
    data: { language: id, program: name },
  }
}

function missing(language: NamedLanguage, programs: ReadonlyMap<string, string>): MissingInterpreter {
  const wanted = candidates(language).map(([name = '']) => name)
  const found = [...programs.keys()].join(', ')
  const others = programs.size === 0 ? '' : ` It has ${found}.`
  return {
    exitCode: exitCodes.notFound,
    missing: `The sandbox has no interpreter for ${language.id}: ${wanted.join(' or ')} was not found.${others}`,
    data: { language: language.id, program: wanted.join(', '), known: found },
  }
}
