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

/** Asks a program which Python it is; `undefined` when it is none, as a broken link or Windows' advertisement. */
async function ask(program: string, host: NodeJS.ProcessEnv): Promise<Interpreter | undefined> {
  const command = [program, '-I', '-S', '-c', question] as const
  const { failure, stdout } = await captureOutput(command, { env: host, timeoutMs: longestAnswerMs })
  const [executable, prefix, basePrefix] = stdout.split(/\r?\n/)
  if (failure !== undefined || !executable || !prefix || !basePrefix) return undefined
  return { command: [executable], directories: [prefix, basePrefix] }
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
