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

/** Runs in isolated mode: neither the environment nor the current directory has a say. */
const question = `
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

/** Asks a program what kind of Python it is; `undefined` when it is none that works. */
export async function askInterpreter(
  program: string,
  signal?: AbortSignal,
): Promise<PythonInterpreter | undefined> {
  const { failed, stdout } = await execa(program, ['-I', '-c', question], {
    reject: false,
    stdin: 'ignore',
    timeout: 20_000,
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  })
  signal?.throwIfAborted()
  if (failed) return undefined
  try {
    return JSON.parse(stdout)
  } catch {
    return undefined
  }
}
