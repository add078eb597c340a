import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { trustedPath } from '@fenced/core/internal'
import { captureOutput, programsOnPath } from '@fenced/host'
import { installEnvironment } from '../install/installer-variables.ts'
import { findInterpreter, type PythonInterpreter, pythonNotFound } from '../python-interpreter.ts'
import { featureVersion } from './environment-record.ts'

export interface BasePythonSearch {
  readonly pythonPath: string | undefined
  readonly pythonVersion: string | undefined
  /** The program uv, where it is to be asked as well. */
  readonly uv: string | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Returns the Python that an environment is made with.
 *
 * @throws FencedError `PYTHON_NOT_FOUND`, with every program that was tried.
 */
export async function findBasePython(search: BasePythonSearch): Promise<PythonInterpreter> {
  const { pythonPath, pythonVersion, signal } = search
  const usual = await findInterpreter({ python: pythonPath, option: 'pythonPath', signal })
  const missing = 'missing' in usual
  if (!missing && (pythonVersion === undefined || matchesVersion(usual.version, pythonVersion))) return usual
  if (pythonVersion !== undefined && pythonPath === undefined) return pythonOfVersion(pythonVersion, search)
  if (missing) throw pythonNotFound(usual.missing, usual.data)
  throw pythonNotFound(
    `${usual.path} is Python ${usual.version}, not ${pythonVersion} as \`pythonVersion\` requires.`,
    { program: usual.path, version: usual.version, needed: String(pythonVersion), option: 'pythonVersion' },
  )
}

async function pythonOfVersion(
  version: string,
  { uv, signal }: BasePythonSearch,
): Promise<PythonInterpreter> {
  const looked: string[] = []
  for (const candidate of await candidates(version, uv)) {
    const python = await findInterpreter({ python: candidate, option: 'pythonPath', signal })
    if ('missing' in python) looked.push(candidate)
    else if (matchesVersion(python.version, version)) return python
    else looked.push(`${candidate} (${python.version})`)
  }
  const places =
    looked.length === 0
      ? 'Nothing of that name is on the PATH or in ~/.pyenv'
      : `These are others: ${looked.join(', ')}`
  throw pythonNotFound(
    `No Python ${version} was found. ${places}. Install one, or set \`pythonPath\` to its interpreter.`,
    { needed: version, found: looked.join(', '), option: 'pythonPath' },
  )
}

/** Programs that may be the version, the likeliest first. */
async function candidates(version: string, uv: string | undefined): Promise<string[]> {
  const path = trustedPath()
  return [
    ...new Set([
      ...programsOnPath(`python${featureVersion(version)}`, path),
      ...(await installedByPyenv(version)),
      ...(await knownToUv(version, uv)),
      ...programsOnPath('python3', path),
    ]),
  ]
}

async function installedByPyenv(version: string): Promise<string[]> {
  const root = process.env.PYENV_ROOT ?? join(homedir(), '.pyenv')
  const versions = await readdir(join(root, 'versions')).catch(() => [])
  return versions
    .filter((name) => matchesVersion(name, version))
    .map((name) => join(root, 'versions', name, 'bin', 'python'))
}

/** Finds versions that uv has installed, without a download. */
async function knownToUv(version: string, uv: string | undefined): Promise<string[]> {
  if (uv === undefined) return []
  const command = [uv, 'python', 'find', '--no-python-downloads', version] as const
  const { failure, stdout } = await captureOutput(command, { env: installEnvironment({}), timeoutMs: 20_000 })
  return failure === undefined ? [stdout.trim()] : []
}

/** Whether `version` belongs to what was asked for: `3.13.1` to `3`, `3.13` and `3.13.1`. */
export function matchesVersion(version: string, asked: string): boolean {
  return version === asked || version.startsWith(`${asked}.`)
}
