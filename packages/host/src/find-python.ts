import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { exitCodes } from '@fenced/core'
import which from 'which'
import { captureOutput } from './capture-output.ts'
import type { Interpreter, NoInterpreter } from './interpreter.ts'

export interface PythonSearch {
  /** The caller's choice: an interpreter or a virtual environment. */
  readonly python: string | undefined
  /** The host's environment: it decides what `python3` is, and what a version manager's stand-in for it starts. */
  readonly host: NodeJS.ProcessEnv
  /** The PATH that programs have. */
  readonly path: string
}

/**
 * Finds Python and asks it where it really is: `python3` on a PATH is often a version manager's script, which would
 * cost more on every block than Python itself.
 */
export async function findPython({ python, host, path }: PythonSearch): Promise<Interpreter | NoInterpreter> {
  if (python !== undefined) return findChosen(python, host)
  const tried: string[] = []
  for (const candidate of await candidates(host, path)) {
    const found = await ask(candidate, host)
    if (found !== undefined) return found
    tried.push(candidate)
  }
  const detail = tried.length === 0 ? '' : ` These were found but do not work: ${tried.join(', ')}.`
  return {
    exitCode: exitCodes.notFound,
    missing: `No Python: neither an active virtual environment (VIRTUAL_ENV) nor python3 nor python on the PATH (${path}).${detail} Install Python 3, or name one with the \`python\` option.`,
  }
}

/** The program that the `python` option means: an interpreter, found on the PATH if need be, or that of a virtual environment. */
export async function choosePython(python: string): Promise<string> {
  const isDirectory = (await stat(python).catch(() => undefined))?.isDirectory() ?? false
  if (isDirectory) return resolve(venvPython(python))
  return (await which(python, { nothrow: true })) ?? resolve(python)
}

async function findChosen(python: string, host: NodeJS.ProcessEnv): Promise<Interpreter | NoInterpreter> {
  const program = await choosePython(python)
  const found = await ask(program, host)
  if (found !== undefined) return found
  const named = `The \`python\` option names ${program}`
  return existsSync(program)
    ? {
        exitCode: exitCodes.notExecutable,
        missing: `${named}, which is there but is no Python that can be started.`,
      }
    : { exitCode: exitCodes.notFound, missing: `${named}, which does not exist.` }
}

async function candidates({ VIRTUAL_ENV }: NodeJS.ProcessEnv, path: string): Promise<string[]> {
  const venv = VIRTUAL_ENV === undefined || VIRTUAL_ENV === '' ? [] : [venvPython(VIRTUAL_ENV)]
  const onPath = await Promise.all(['python3', 'python'].map((name) => which(name, { path, nothrow: true })))
  return [...venv, ...onPath.filter((program) => program !== null)]
}

function venvPython(directory: string): string {
  return process.platform === 'win32'
    ? join(directory, 'Scripts', 'python.exe')
    : join(directory, 'bin', 'python')
}

interface Answer {
  readonly found: Interpreter
  /** {@link stateOf} it at that time. */
  readonly state: string
}

/** What programs answered in this process, by the question: the start of a Python takes longer than all else that finds it. */
const answers = new Map<string, Promise<Answer | undefined>>()
/** How many are kept: an environment is part of its question. */
const mostAnswers = 64

/** Asks a program which Python it is, unless that is known; `undefined` when it is none, as a broken link or Windows' advertisement. */
async function ask(program: string, host: NodeJS.ProcessEnv): Promise<Interpreter | undefined> {
  const key = JSON.stringify([program, host])
  const known = await answers.get(key)?.catch(() => undefined)
  if (known !== undefined && known.state === (await stateOf(program, known.found))) return known.found
  const asked = askNow(program, host)
  answers.delete(key)
  answers.set(key, asked)
  for (const oldest of answers.keys()) if (answers.size > mostAnswers) answers.delete(oldest)
  return (await asked)?.found
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

async function askNow(program: string, host: NodeJS.ProcessEnv): Promise<Answer | undefined> {
  const command = [program, '-I', '-S', '-c', question] as const
  const { failure, stdout } = await captureOutput(command, { env: host, timeoutMs: longestAnswerMs })
  const [executable, prefix, basePrefix] = stdout.split(/\r?\n/)
  if (failure !== undefined || !executable || !prefix || !basePrefix) return undefined
  const found: Interpreter = { command: [executable], directories: [prefix, basePrefix] }
  return { found, state: await stateOf(program, found) }
}

/**
 * Neither the directory that we are in nor its own packages take part: code could have written there. A virtual
 * environment is known by the file that makes one, because it is the start of the packages that would know it.
 */
const question = `
import os, sys
venv = os.path.dirname(os.path.dirname(sys.executable))
prefix = venv if os.path.exists(os.path.join(venv, "pyvenv.cfg")) else sys.prefix
print(sys.executable, prefix, sys.base_prefix, sep=chr(10))
`

/** How long a program may take to say which Python it is, in milliseconds. */
const longestAnswerMs = 10_000
