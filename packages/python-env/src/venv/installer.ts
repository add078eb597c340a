import { FencedError, type StartOptions } from '@fenced/core'
import type { Environment } from '@fenced/host'
import which from 'which'
import { type InstallRequest, installWithPip, installWithUv } from '../install/pip.ts'
import { runInstaller } from '../install/run-installer.ts'
import type { VenvSettings } from './venv-options.ts'
import { pythonOf } from './venv-python.ts'

/** What makes environments and fills them. */
export interface Installer {
  /** The program uv, where that is what it is. */
  readonly uv: string | undefined
  create(venv: NewVenv, options: StartOptions): Promise<void>
  install(python: string, request: InstallRequest, options: StartOptions): Promise<void>
}

interface NewVenv {
  readonly path: string
  /** The interpreter that it is made with. */
  readonly base: string
  readonly systemSitePackages: boolean
  readonly installEnv: Environment
}

/** @throws FencedError `UV_NOT_FOUND`. */
export async function chooseInstaller(wanted: VenvSettings['installer']): Promise<Installer> {
  const uv = wanted === 'pip' ? null : await which('uv', { nothrow: true })
  if (uv !== null) return uvInstaller(uv)
  if (wanted === 'auto' || wanted === 'pip') return pipInstaller
  throw new FencedError({
    code: 'UV_NOT_FOUND',
    message: `The program uv was looked for on the PATH (${process.env.PATH}). Install it (https://docs.astral.sh/uv), or leave \`installer\` out.`,
  })
}

const pipInstaller: Installer = {
  uv: undefined,
  async create({ path, base, systemSitePackages, installEnv }, options) {
    const flags = systemSitePackages ? ['--system-site-packages'] : []
    const command = [base, '-m', 'venv', ...flags, path] as const
    await runInstaller({ command, installEnv, doing: `make the virtual environment ${path}` }, options)
  },
  install: installWithPip,
}

/** With pip in it, as every program expects of an environment: without, `pip` would be that of this machine. */
function uvInstaller(uv: string): Installer {
  return {
    uv,
    async create({ path, base, systemSitePackages, installEnv }, options) {
      const flags = ['--quiet', '--allow-existing', ...(systemSitePackages ? ['--system-site-packages'] : [])]
      const command = [uv, 'venv', ...flags, '--python', base] as const
      const doing = `make the virtual environment ${path}`
      try {
        await runInstaller({ command: [...command, '--seed', path], installEnv, doing }, options)
      } catch (error) {
        options.signal?.throwIfAborted()
        // uv takes its pip from an index; Python brings one along, which takes longer.
        await runInstaller({ command: [...command, path], installEnv, doing }, options).catch(() => {
          throw error
        })
        const ensurepip = [pythonOf(path), '-m', 'ensurepip', '--default-pip'] as const
        await runInstaller({ command: ensurepip, installEnv, doing }, options)
      }
    },
    install: (python, request, options) => installWithUv({ uv, python }, request, options),
  }
}
