import { mkdir, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FencedError, type Notice, type StartOptions } from '@fenced/core'
import { TemporaryDirectory } from '@fenced/core/internal'
import { lockDirectory } from '@fenced/host'
import { type RequirementsFile, readRequirements } from '@fenced/shared'
import { askInterpreter, type PythonInterpreter } from '../python-interpreter.ts'
import { findBasePython, matchesVersion } from './base-python.ts'
import {
  type EnvironmentRecord,
  featureVersion,
  isForPython,
  packagesHash,
  readRecord,
  writeRecord,
} from './environment-record.ts'
import { type Installer, pythonOf } from './installer.ts'
import type { VenvSettings } from './venv-options.ts'

export interface VenvPlan {
  readonly path: string
  readonly settings: VenvSettings
  readonly installer: Installer
}

/** In an environment that is being made: what is found with it is half of one. */
const incompleteMark = 'fenced-incomplete'

/** The environment at a path, made or completed as need be. */
export async function makeVenv(plan: VenvPlan, options: StartOptions): Promise<PythonInterpreter> {
  const requirements = await readRequirements(plan.settings.requirements)
  const packages = packagesHash(plan.settings.packages, requirements)
  // The quick way, without a lock: most of the time it is there and has everything.
  const ready = await readyVenv(plan, packages, options)
  if (ready !== undefined) return ready
  await using _lock = await lockDirectory(plan.path, options).catch((error: unknown) => {
    options.signal?.throwIfAborted()
    throw unusable(plan.path, error)
  })
  // Awaited here: the lock goes with this function.
  return (
    (await readyVenv(plan, packages, options)) ??
    (await completeVenv(plan, { packages, requirements }, options))
  )
}

async function readyVenv(
  { path, settings }: VenvPlan,
  packages: string,
  { signal }: StartOptions,
): Promise<PythonInterpreter | undefined> {
  const record = await readRecord(path)
  if (record?.packages !== packages || (await exists(join(path, incompleteMark)))) return undefined
  const python = await askInterpreter(pythonOf(path), signal)
  if (python !== undefined && !isForPython(record, python.version)) return undefined
  if (python !== undefined) checkVersion(python, path, settings)
  return python
}

async function completeVenv(
  plan: VenvPlan,
  { packages, requirements }: { packages: string; requirements: readonly RequirementsFile[] },
  options: StartOptions,
): Promise<PythonInterpreter> {
  const { path, settings, installer } = plan
  const existing = await existingVenv(plan, options)
  const python = existing ?? (await createVenv(plan, options))
  try {
    await installAll(python.path, { settings, installer, requirements }, options)
    const isOurs = existing === undefined || (await readRecord(path))?.isOurs === true
    await writeRecord(path, { packages, python: featureVersion(python.version), isOurs })
    await rm(join(path, incompleteMark), { force: true })
    return python
  } catch (error) {
    // Removes only a new environment.
    if (existing === undefined) await rm(path, { recursive: true, force: true })
    throw error
  }
}

/**
 * Returns an existing environment that works. Removes a partial environment of Fenced, and one of Fenced whose Python was upgraded. Never
 * removes another directory.
 */
async function existingVenv(
  { path, settings }: VenvPlan,
  { signal, onNotice }: StartOptions,
): Promise<PythonInterpreter | undefined> {
  const entries = await readdir(path).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    throw unusable(path, error)
  })
  if (entries.includes(incompleteMark)) await rm(path, { recursive: true, force: true })
  if (entries.length === 0 || entries.includes(incompleteMark)) return undefined
  if (!entries.includes('pyvenv.cfg')) throw notAVenv(path)
  const python = await askInterpreter(pythonOf(path), signal)
  if (python === undefined) throw broken(path)
  const record = await readRecord(path)
  if (record?.isOurs === true && !isForPython(record, python.version)) {
    onNotice?.(madeAgain(path, record, python))
    await rm(path, { recursive: true, force: true })
    return undefined
  }
  checkVersion(python, path, settings)
  return python
}

async function createVenv(
  { path, settings, installer }: VenvPlan,
  options: StartOptions,
): Promise<PythonInterpreter> {
  const { pythonPath, pythonVersion, systemSitePackages, installEnv, installTimeoutMs } = settings
  const base = await findBasePython({
    pythonPath,
    pythonVersion,
    uv: installer.uv,
    signal: options.signal,
  })
  try {
    await mkdir(path, { recursive: true })
    await writeFile(join(path, incompleteMark), '')
  } catch (error) {
    throw unusable(path, error)
  }
  try {
    await installer.create(
      { path, base: base.path, systemSitePackages, installEnv, installTimeoutMs },
      options,
    )
    const python = await askInterpreter(pythonOf(path), options.signal)
    if (python === undefined) throw broken(path)
    return python
  } catch (error) {
    const disk = await lowDiskSpace(path)
    await rm(path, { recursive: true, force: true })
    throw failed(error, disk)
  }
}

async function installAll(
  python: string,
  {
    settings,
    installer,
    requirements,
  }: Pick<VenvPlan, 'settings' | 'installer'> & { requirements: readonly RequirementsFile[] },
  options: StartOptions,
): Promise<void> {
  const { packages, installEnv, installTimeoutMs } = settings
  const install = (...requirementFiles: string[]) =>
    installer.install(python, { packages, requirementFiles, installEnv, installTimeoutMs }, options)
  // The file itself: what it includes is named from where it is.
  if (typeof settings.requirements === 'string') return install(settings.requirements)
  const [outermost] = requirements
  if (outermost === undefined || outermost.content.trim() === '') return install()
  await using folder = TemporaryDirectory.make()
  for (const { name, content } of requirements) await writeFile(join(folder.path, name), content)
  await install(join(folder.path, outermost.name))
}

function checkVersion(python: PythonInterpreter, path: string, { pythonVersion }: VenvSettings): void {
  if (pythonVersion === undefined || matchesVersion(python.version, pythonVersion)) return
  throw new FencedError({
    code: 'VENV_MISMATCH',
    message: `The virtual environment ${path} already exists and has Python ${python.version}, not ${pythonVersion}. Set another \`venvPath\`, or remove the environment first.`,
    data: { path, version: python.version, needed: pythonVersion },
  })
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}

function madeAgain(
  path: string,
  { python: before }: EnvironmentRecord,
  { version }: PythonInterpreter,
): Notice {
  return {
    code: 'install',
    message: `The Python of the virtual environment ${path} was upgraded from ${before} to ${version}. Recreating the environment.`,
    data: { path, before: String(before), version },
  }
}

function failed(cause: unknown, disk: LowDiskSpace | undefined): unknown {
  if (!FencedError.isInstance(cause) || cause.code !== 'INSTALL_FAILED') return cause
  const hint = /ensurepip|python3-venv|No module named venv/i.test(cause.data?.output ?? '')
    ? ' On Debian and Ubuntu: apt-get install python3-venv.'
    : ''
  return new FencedError({
    code: 'VENV_FAILED',
    message: `${cause.message}${hint}${disk?.hint ?? ''}`,
    data: { ...cause.data, ...disk?.data },
    cause,
  })
}

function broken(path: string): FencedError {
  return new FencedError({
    code: 'VENV_FAILED',
    message: `The virtual environment ${path} has no working Python: the Python it was created with may be gone. Remove the environment, or set another \`venvPath\`.`,
    data: { path },
  })
}

function notAVenv(path: string): FencedError {
  return new FencedError({
    code: 'NOT_A_VENV',
    message: `${path} already exists, is not empty, and is not a virtual environment. Nothing was changed. Set another \`venvPath\`.`,
    data: { path },
  })
}

export function unusable(path: string, cause: unknown): FencedError {
  return new FencedError({
    code: 'VENV_FAILED',
    message: `No virtual environment can be created in ${path} (${(cause as NodeJS.ErrnoException).code}). Set another \`venvPath\`.`,
    data: { path, reason: String((cause as NodeJS.ErrnoException).code) },
    cause,
  })
}

/** Less than any installer gets along with. */
const scantBytes = 2 ** 20

/** That the disk of a path is full. */
interface LowDiskSpace {
  /** A sentence. */
  readonly hint: string
  /** The values in it. */
  readonly data: Readonly<Record<string, string>>
}

/** Where the disk of a path is full, because installers do not always say so. */
async function lowDiskSpace(path: string): Promise<LowDiskSpace | undefined> {
  const disk = await statfs(path).catch(() => undefined)
  const free = disk === undefined ? scantBytes : disk.bavail * disk.bsize
  if (free >= scantBytes) return undefined
  return {
    hint: ` No space is left on the disk that holds ${path}: ${free} bytes are free.`,
    data: { path, freeBytes: String(free) },
  }
}
