import { FencedError, type StartOptions } from '@fenced/core'
import {
  captureOutput,
  findPython,
  type NoInterpreter,
  programEnvironment,
  withTrustedPath,
} from '@fenced/host'

/** Information that a Python interpreter reports about itself. */
export interface PythonInterpreter {
  /** Absolute path of the interpreter itself, not of a version manager's shim. */
  readonly path: string
  /** Version, such as `3.13.1`. */
  readonly version: string
  /** Implementation, such as `cpython` or `pypy`. */
  readonly implementation: string
  /** Platform, as Python names it: `linux`, `darwin`, `win32`. */
  readonly platform: string
  /** Machine architecture, as Python names it: `x86_64`, `arm64`. */
  readonly machine: string
  /** Directory that contains its packages. For a virtual environment, the directory of the environment. */
  readonly prefix: string
  readonly isVirtualEnvironment: boolean
  /** Whether the operating system manages its packages, so that pip must not change them (PEP 668). */
  readonly isExternallyManaged: boolean
}

/** A program whose output {@link readAnswer} reads. It imports next to nothing: it is run before the first block. */
export const interpreterQuestion = `
import os, sys
venv = os.path.dirname(os.path.dirname(sys.executable))
is_venv = os.path.exists(os.path.join(venv, "pyvenv.cfg"))
prefix = venv if is_venv else sys.prefix
is_managed = False
if not is_venv:
    import sysconfig
    is_managed = os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))
if hasattr(os, "uname"):
    machine = os.uname().machine
else:
    import platform
    machine = platform.machine()
fields = [sys.executable, sys.version.split()[0], sys.implementation.name, sys.platform, machine, prefix]
print("fenced", *fields, is_venv, is_managed, "fenced", sep="\\0")
`

/** What a Python has answered; `undefined` when it was no answer. */
export function readAnswer(output: string): PythonInterpreter | undefined {
  const [begin, path, version, implementation, platform, machine, prefix, isVenv, isManaged, end] = output
    .trimEnd()
    .split('\0')
  if (begin !== 'fenced' || end !== 'fenced') return undefined
  if (!path || !version || !implementation || !platform || machine === undefined || !prefix) return undefined
  const isVirtualEnvironment = isVenv === 'True'
  const isExternallyManaged = isManaged === 'True'
  return {
    path,
    version,
    implementation,
    platform,
    machine,
    prefix,
    isVirtualEnvironment,
    isExternallyManaged,
  }
}

/**
 * Asks a Python which one it is; `undefined` when it does not work.
 *
 * @param program - the interpreter itself: a version manager's stand-in would need variables that it does not get.
 */
export async function askInterpreter(
  program: string,
  signal?: AbortSignal,
): Promise<PythonInterpreter | undefined> {
  // Neither the environment nor the current directory has a say, nor its packages: one can run code at every start, also from the
  // working directory (`pip install -e`).
  const command = [program, '-I', '-S', '-c', interpreterQuestion] as const
  const env = withTrustedPath(programEnvironment(process.env, { env: {}, inheritEnv: false }))
  const { failure, stdout } = await captureOutput(command, { env, timeoutMs: 20_000, signal })
  return failure === undefined ? readAnswer(stdout) : undefined
}

/** Which Python {@link findInterpreter} looks for. */
export interface InterpreterSearch extends Pick<StartOptions, 'signal'> {
  /** Path or name of the program; `undefined` for the active virtual environment and the PATH. */
  readonly python: string | undefined
  /** Name of the option that sets it, for messages. */
  readonly option: string
}

/** Finds a Python and asks the interpreter itself, also where the program is a version manager's shim. */
export async function findInterpreter({
  python,
  option,
  signal,
}: InterpreterSearch): Promise<PythonInterpreter | Pick<NoInterpreter, 'missing' | 'data'>> {
  const found = await findPython({ python, option, host: process.env, path: process.env.PATH ?? '' })
  if ('missing' in found) return found
  const [program] = found.command
  const broken = { missing: `${program} is not a working Python.`, data: { program } }
  return (await askInterpreter(program, signal)) ?? broken
}

export function pythonNotFound(message: string, data: NoInterpreter['data'] = {}): FencedError {
  return new FencedError({ code: 'PYTHON_NOT_FOUND', message, data })
}
