import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { exitCodes, type Language } from '@fenced/core'
import { writableThrough } from '@fenced/core/internal'
import { findPython, type Interpreter, type NoInterpreter, programOnPath } from '@fenced/host'

export interface LocalInterpretersOptions {
  /** The caller's choice of Python: an interpreter or a virtual environment. */
  readonly python: string | undefined
  /** PATH for programs. */
  readonly path: string
  /** This process's environment. */
  readonly host: NodeJS.ProcessEnv
}

/** The parts of a language that are needed to find its interpreter. */
type NamedLanguage = Pick<Language, 'id' | 'commands'>

/**
 * Locates the interpreter for each language and remembers it. An interpreter that was not found, or has been removed, is looked
 * up again.
 */
export class LocalInterpreters {
  readonly #options: LocalInterpretersOptions
  readonly #found = new Map<string, Interpreter>()
  /** What a program needs to read, by its path. */
  readonly #directories = new Map<string, readonly string[]>()

  constructor(options: LocalInterpretersOptions) {
    this.#options = options
  }

  async find(language: NamedLanguage): Promise<Interpreter | NoInterpreter> {
    const known = this.#found.get(language.id)
    if (known !== undefined && existsSync(known.command[0])) return known
    const found = await this.#search(language)
    if ('command' in found) this.#found.set(language.id, found)
    return found
  }

  /** Whether a program for the language is on the PATH. Python can also be elsewhere, and says so if it is missing. */
  mayRun({ id, commands = [] }: NamedLanguage): boolean {
    const { path } = this.#options
    const isFound = (name: string) => isOwnNode(name) || programOnPath(name, path) !== undefined
    return id === 'python' || commands.some(([name = '']) => isFound(name))
  }

  /** Returns the location of a program, given as on a command line, or `undefined` if it is not found. */
  async locate(name: string): Promise<string | undefined> {
    if (name === 'python' || name === 'python3') {
      const found = await this.find({ id: 'python' })
      return 'command' in found ? found.command[0] : undefined
    }
    return this.#locate(name)?.program
  }

  /** Returns the directories that the program needs to read, in addition to the system directories. */
  directoriesOf(program: string): readonly string[] {
    return this.#directories.get(program) ?? (isAbsolute(program) ? [dirname(program)] : [])
  }

  async #search({ id, commands = [] }: NamedLanguage): Promise<Interpreter | NoInterpreter> {
    if (id === 'python') {
      const python = await findPython(this.#options)
      if ('command' in python) this.#directories.set(python.command[0], python.directories)
      return python
    }
    for (const [name = '', ...args] of commands) {
      const found = this.#locate(name)
      if (found !== undefined) return { command: [found.program, ...args], directories: found.directories }
    }
    return noInterpreter(
      id,
      commands.map(([name = '']) => name),
    )
  }

  #locate(name: string): Located | undefined {
    const program = isOwnNode(name) ? process.execPath : programOnPath(name, this.#options.path)
    if (program === undefined) return undefined
    const directories = directoriesAlongLinks(program)
    this.#directories.set(program, directories)
    return { program, directories }
  }
}

interface Located {
  readonly program: string
  readonly directories: readonly string[]
}

/** The directories of a program and of the links that lead to it. A link that code could have made opens no directory. */
function directoriesAlongLinks(program: string): string[] {
  const directories = [dirname(program)]
  if (!isAbsolute(program) || writableThrough(program) !== undefined) return directories
  let path = program
  // The program was found, so the links end.
  while (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    path = resolve(realpathSync(dirname(path)), readlinkSync(path))
    directories.push(dirname(path))
  }
  return directories
}

/** The Node that runs us is there for certain, and no other version of it surprises the code. */
function isOwnNode(name: string): boolean {
  return name === 'node' && /^node(\.exe)?$/.test(basename(process.execPath))
}

function noInterpreter(id: string, names: readonly string[]): NoInterpreter {
  const unusable = names.find((name) => isAbsolute(name) && existsSync(name))
  if (unusable !== undefined) {
    return {
      exitCode: exitCodes.notExecutable,
      missing: `${unusable}, which runs ${id}, exists but cannot be executed.`,
      data: { language: id, program: unusable },
    }
  }
  const missing = `No interpreter for ${id}: ${names.join(' or ')} was not found on the PATH.`
  const data = { language: id, program: names.join(', ') }
  return { exitCode: exitCodes.notFound, missing, data }
}
