import { execa } from 'execa'

/** What a Python says about itself. */
export interface PythonInterpreter {
  /** Absolute path of the program itself, behind every version manager's stand-in. */
  readonly path: string
  /** `3.13.1` */
  readonly version: string
  /** `cpython`, `pypy` */
  readonly implementation: string
  /** As Python names it: `linux`, `darwin`, `win32`. */
  readonly platform: string
  /** As Python names it: `x86_64`, `arm64`. */
  readonly machine: string
  /** The directory that its packages are below; for a virtual environment, the environment. */
  readonly prefix: string
  readonly isVirtualEnvironment: boolean
  /** Whether its packages belong to the system, so that pip must leave it alone (PEP 668). */
  readonly isExternallyManaged: boolean
}

/** A program whose output {@link readAnswer} reads. */
export const interpreterQuestion = `
import json, os, platform, sys, sysconfig
print(json.dumps({
    "path": sys.executable,
    "version": platform.python_version(),
    "implementation": sys.implementation.name,
    "platform": sys.platform,
    "machine": platform.machine(),
    "prefix": sys.prefix,
    "isVirtualEnvironment": sys.prefix != sys.base_prefix,
    "isExternallyManaged": sys.prefix == sys.base_prefix
        and os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")),
}))
`

/** What a Python has answered; `undefined` when it was no answer. */
export function readAnswer(output: string): PythonInterpreter | undefined {
  try {
    return JSON.parse(output)
  } catch {
    return undefined
  }
}

/** Asks a program what kind of Python it is; `undefined` when it is none that works. */
export async function askInterpreter(
  program: string,
  signal?: AbortSignal,
): Promise<PythonInterpreter | undefined> {
  // In isolated mode neither the environment nor the current directory has a say.
  const { failed, stdout } = await execa(program, ['-I', '-c', interpreterQuestion], {
    reject: false,
    stdin: 'ignore',
    timeout: 20_000,
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  })
  signal?.throwIfAborted()
  return failed ? undefined : readAnswer(stdout)
}
