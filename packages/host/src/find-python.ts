import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { exitCodes } from '@fenced/core'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import { captureOutput } from './capture-output.ts'
import { interpreterEnvironment } from './interpreter-environment.ts'
import { findProgram, requireTrusted } from './trusted-programs.ts'

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

export interface PythonSearch {
  /** The caller's choice: an interpreter or a virtual environment. */
  readonly python: string | undefined
  /**
   * Name of the option that contains the choice.
   *
   * @default 'python'
   */
  readonly option?: string | undefined
  /** The host's environment: `VIRTUAL_ENV`, and the variables that determine what a version manager's `python3` starts. */
  readonly host: NodeJS.ProcessEnv
  /** PATH for programs. */
  readonly path: string
}

const searchNames: OptionNames<PythonSearch> = { python: true, option: true, host: true, path: true }

/**
 * Finds Python and asks it for its real location. `python3` on a PATH is often a version manager's script, which would cost more
 * per block than Python itself. It runs in the environment for programs, plus the variables of version managers.
 *
 * @throws FencedError `INVALID_OPTIONS`; `PROGRAM_WRITABLE` if sandboxed programs could replace it, or a directory that it starts from.
 */
export async function findPython(search: PythonSearch): Promise<Interpreter | NoInterpreter> {
  const { python, host, path, option = 'python' } = knownOptions(search, searchNames, 'findPython()')
  if (python !== undefined) return findChosen(python, { host, option })
  const tried: string[] = []
  for (const candidate of locatePythons(host, path)) {
    const found = await ask(candidate, host)
    if (found !== undefined) return found
    tried.push(candidate)
  }
  const detail = tried.length === 0 ? '' : ` These were found but do not work: ${tried.join(', ')}.`
  return {
    exitCode: exitCodes.notFound,
    missing: `No Python: neither an active virtual environment (VIRTUAL_ENV) nor python3 nor python on the PATH.${detail} Install Python 3, or set the \`${option}\` option.`,
    data: {
      language: 'python',
      ...(tried.length === 0 ? {} : { program: tried.join(', ') }),
    },
  }
}

/**
 * Returns the programs that {@link findPython} asks if no Python was chosen, in order. None is started.
 *
 * @throws FencedError `PROGRAM_WRITABLE`.
 */
export function locatePythons({ VIRTUAL_ENV }: NodeJS.ProcessEnv, path: string): string[] {
  const venv = VIRTUAL_ENV === undefined || VIRTUAL_ENV === '' ? [] : [resolve(venvPython(VIRTUAL_ENV))]
  for (const program of venv) requireTrusted(program, adviceForVenv)
  const onPath = ['python3', 'python'].map((name) => findProgram(name, { path }))
  return [...venv, ...onPath.filter((program) => program !== undefined)]
}

const adviceForVenv =
  'Create the VIRTUAL_ENV environment before the start with a Python from elsewhere, unset VIRTUAL_ENV, or choose another working directory.'

const adviceForOption =
  'Set the `python` option to a Python elsewhere or a virtual environment created from one, or choose another working directory.'

/**
 * Returns the program for the `python` option: an interpreter, which is looked up on the PATH, or the interpreter of a virtual
 * environment.
 */
export async function choosePython(python: string): Promise<string> {
  const isDirectory = (await stat(python).catch(() => undefined))?.isDirectory() ?? false
  if (isDirectory) return resolve(venvPython(python))
  return resolve(findProgram(python, { advice: adviceForOption }) ?? python)
}

async function findChosen(
  python: string,
  { host, option }: { readonly host: NodeJS.ProcessEnv; readonly option: string },
): Promise<Interpreter | NoInterpreter> {
  const program = await choosePython(python)
  requireTrusted(program, adviceForOption)
  const found = await ask(program, host)
  if (found !== undefined) return found
  const named = `The \`${option}\` option names ${program}`
  const data = { language: 'python', option, program }
  return existsSync(program)
    ? {
        exitCode: exitCodes.notExecutable,
        missing: `${named}, which exists but is not a working Python.`,
        data,
      }
    : { exitCode: exitCodes.notFound, missing: `${named}, which does not exist.`, data }
}

function venvPython(directory: string): string {
  return process.platform === 'win32'
    ? join(directory, 'Scripts', 'python.exe')
    : join(directory, 'bin', 'python')
}

interface Answer {
  readonly found: Interpreter
  /** A file of its standard library. */
  readonly library: string
  /** {@link stateOf} it at that time. */
  readonly state: string
}

/** What programs answered in this process, by the question: the start of a Python takes longer than all else that finds it. */
const answers = new Map<string, Promise<Answer | undefined>>()
/** How many are kept: an environment is part of its question. */
const mostAnswers = 64

/** {@link askOnce}, of what no program of a sandbox could have prepared. */
async function ask(program: string, host: NodeJS.ProcessEnv): Promise<Interpreter | undefined> {
  const answer = await askOnce(program, interpreterEnvironment(host))
  if (answer === undefined) return undefined
  const { command, directories } = answer.found
  for (const path of [...command, ...directories, answer.library]) requireTrusted(path, adviceForOption)
  return answer.found
}

/** Asks a program which Python it is, unless that is known; `undefined` when it is none, as a broken link or Windows' advertisement. */
async function askOnce(program: string, env: NodeJS.ProcessEnv): Promise<Answer | undefined> {
  const key = JSON.stringify([program, env])
  const earlier = answers.get(key)
  // Without one nothing is awaited: many may want to know it at the same time.
  const known = earlier === undefined ? undefined : await earlier.catch(() => undefined)
  if (known !== undefined && known.state === (await stateOf(program, known.found))) return known
  const asked = askNow(program, env)
  answers.delete(key)
  answers.set(key, asked)
  for (const oldest of answers.keys()) if (answers.size > mostAnswers) answers.delete(oldest)
  return asked
}

/** Changes when the program, the Python that it starts, or its virtual environment is replaced, upgraded or removed. */
async function stateOf(program: string, { command, directories }: Interpreter): Promise<string> {
  const files = [program, command[0], ...directories.map((directory) => join(directory, 'pyvenv.cfg'))]
  const states = await Promise.all(
    files.map(async (file) => {
      const status = await stat(file).catch(() => undefined)
      return status === undefined ? '' : `${status.dev}:${status.ino}:${status.size}:${status.mtimeMs}`
    }),
  )
  return states.join(' ')
}

async function askNow(program: string, env: NodeJS.ProcessEnv): Promise<Answer | undefined> {
  const command = [program, '-I', '-S', '-c', question] as const
  const { failure, stdout } = await captureOutput(command, { env, timeoutMs: longestAnswerMs })
  const [executable, prefix, basePrefix, library] = stdout.split(/\r?\n/)
  if (failure !== undefined || !executable || !prefix || !basePrefix || !library) return undefined
  const found: Interpreter = { command: [executable], directories: [prefix, basePrefix] }
  return { found, library, state: await stateOf(program, found) }
}

/**
 * Neither the directory that we are in nor its own packages take part: code could have written there. A virtual
 * environment is known by the file that makes one, because it is the start of the packages that would know it.
 */
const question = `
import os, sys
venv = os.path.dirname(os.path.dirname(sys.executable))
prefix = venv if os.path.exists(os.path.join(venv, "pyvenv.cfg")) else sys.prefix
print(sys.executable, prefix, sys.base_prefix, os.__file__ or sys.base_prefix, sep=chr(10))
`

/** How long a program may take to say which Python it is, in milliseconds. */
const longestAnswerMs = 10_000
