import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { StartOptions } from '@fenced/core'
import { type Environment, requireTrustedPackages } from '@fenced/host'
import { hideUsers } from '@fenced/shared'
import { runInstaller } from './run-installer.ts'

/** What is to be installed. */
export interface InstallRequest {
  /** As `pip install` takes them. */
  readonly packages: readonly string[]
  /** The paths of requirements files. */
  readonly requirementFiles?: readonly string[]
  readonly installEnv: Environment
  /** Time limit, in milliseconds. */
  readonly installTimeoutMs: number
}

/** Installs with the pip of a Python. */
export async function installWithPip(
  python: string,
  request: InstallRequest,
  options: StartOptions,
): Promise<void> {
  requireTrustedPackages(python)
  const quiet = ['--disable-pip-version-check', '--no-input', '--quiet']
  await install([python, '-m', 'pip', 'install', ...quiet], request, options)
}

/** Installs with uv, which is ten times as fast. */
export async function installWithUv(
  { uv, python }: { readonly uv: string; readonly python: string },
  request: InstallRequest,
  options: StartOptions,
): Promise<void> {
  requireTrustedPackages(python)
  await install([uv, 'pip', 'install', '--quiet', '--python', python], request, options)
}

async function install(
  command: readonly [string, ...string[]],
  { packages, requirementFiles = [], installEnv, installTimeoutMs }: InstallRequest,
  options: StartOptions,
): Promise<void> {
  const wanted = [...requirementFiles.flatMap((file) => ['-r', resolve(file)]), ...packages.map(absolute)]
  if (wanted.length === 0) return
  // What begins with a dash would be an option; the schema refuses it, and so does this.
  const unsafe = packages.find((name) => name.trim().startsWith('-'))
  if (unsafe !== undefined) throw new TypeError(`"${unsafe}" is not a package.`)
  const names = hideUsers([...packages, ...requirementFiles].join(', '))
  const task = { doing: `install ${names}`, values: { packages: names } }
  await runInstaller({ command: [...command, ...wanted], installEnv, installTimeoutMs, ...task }, options)
}

/** A package that the caller has on this machine, as pip takes it: `./wheels/own.whl[extra]`. */
function absolute(requirement: string): string {
  const path = requirement.trim()
  const isPath = /^\.{1,2}[/\\]/.test(path) || (/[/\\]|\.whl$/.test(path) && existsSync(path))
  return isPath ? resolve(path) : requirement
}
