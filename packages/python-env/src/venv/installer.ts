import { join } from 'node:path'
import { FencedError, type StartOptions } from '@fenced/core'
import { captureOutput, type Environment, findProgram, requireTrustedPackages } from '@fenced/host'
import { installEnvironment } from '../install/installer-variables.ts'
import { type InstallRequest, installWithPip, installWithUv } from '../install/pip.ts'
import { runInstaller } from '../install/run-installer.ts'
import type { VenvSettings } from './venv-options.ts'

/** Creates environments and installs packages. */
export interface Installer {
  /** Path of uv; `undefined` for pip. */
  readonly uv: string | undefined
  create(venv: NewVenv, options: StartOptions): Promise<void>
  install(python: string, request: InstallRequest, options: StartOptions): Promise<void>
}

interface NewVenv {
  readonly path: string
  /** The base interpreter. */
  readonly base: string
  readonly systemSitePackages: boolean
  readonly installEnv: Environment
  readonly installTimeoutMs: number
}

/** @throws FencedError `UV_NOT_FOUND`; `PROGRAM_WRITABLE` where code could replace uv. */
export async function chooseInstaller(wanted: VenvSettings['installer']): Promise<Installer> {
  const uv = wanted === 'pip' ? undefined : findProgram('uv')
  if (uv !== undefined) return uvInstaller(uv)
  if (wanted === 'auto' || wanted === 'pip') return pipInstaller
  throw new FencedError({
    code: 'UV_NOT_FOUND',
    message: `The program uv was not found on the PATH (${process.env.PATH}). Install it (https://docs.astral.sh/uv), or leave \`installer\` out.`,
    data: { program: 'uv', searchPath: process.env.PATH ?? '', option: 'installer' },
  })
}

const pipInstaller: Installer = {
  uv: undefined,
  async create({ path, base, systemSitePackages, installEnv, installTimeoutMs }, options) {
    requireTrustedPackages(base)
    const flags = systemSitePackages ? ['--system-site-packages'] : []
    const command = [base, '-m', 'venv', ...flags, path] as const
    await runInstaller({ command, installEnv, installTimeoutMs, ...making(path) }, options)
  },
  install: installWithPip,
}

function making(path: string) {
  return { doing: `make the virtual environment ${path}`, values: { path } }
}

/** With pip, as in every environment: otherwise the command `pip` would find the pip of this machine. */
function uvInstaller(uv: string): Installer {
  return {
    uv,
    async create({ path, base, systemSitePackages, installEnv, installTimeoutMs }, options) {
      requireTrustedPackages(base)
      const flags = ['--quiet', '--allow-existing', ...(systemSitePackages ? ['--system-site-packages'] : [])]
      const command = [uv, 'venv', ...flags, '--python', base] as const
      const task = { installEnv, installTimeoutMs, ...making(path) }
      const wheels = await bundledWheels(base, options.signal)
      if (wheels.length === 0) {
        return runInstaller({ command: [...command, '--seed', path], ...task }, options)
      }
      await runInstaller({ command: [...command, path], ...task }, options)
      const install = [uv, 'pip', 'install', '--quiet', '--no-index', '--no-deps'] as const
      const seed = [...install, '--python', pythonOf(path), ...wheels] as const
      await runInstaller({ command: seed, ...task }, options)
    },
    install: (python, request, options) => installWithUv({ uv, python }, request, options),
  }
}

/** Prints the wheels that `python -m ensurepip` installs. Debian has them in a separate directory. */
const wheelsQuestion = `
import ensurepip, glob, os, sys, sysconfig
folder = sysconfig.get_config_var("WHEEL_PKG_DIR") or os.path.join(os.path.dirname(ensurepip.__file__), "_bundled")
for name in ["pip"] if sys.version_info >= (3, 12) else ["pip", "setuptools"]:
    print(sorted(glob.glob(os.path.join(glob.escape(folder), name + "-*.whl")))[-1])
`

/** The wheels of pip that a Python brings along: uv installs them in no time, and needs no index. None: an empty array. */
async function bundledWheels(base: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const command = [base, '-I', '-S', '-c', wheelsQuestion] as const
  const env = installEnvironment({})
  const { failure, stdout } = await captureOutput(command, { env, timeoutMs: 20_000, signal })
  signal?.throwIfAborted()
  return failure === undefined ? stdout.trimEnd().split(/\r?\n/) : []
}

/** Where a virtual environment has its interpreter. */
export function pythonOf(venv: string): string {
  return process.platform === 'win32' ? join(venv, 'Scripts', 'python.exe') : join(venv, 'bin', 'python')
}
