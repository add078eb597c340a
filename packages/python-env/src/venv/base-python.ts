import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { captureOutput, findPython, type NoInterpreter, trustedPath } from '@fenced/host'
import which from 'which'
import { installEnvironment } from '../install/installer-variables.ts'
import { askInterpreter, type PythonInterpreter } from '../python-interpreter.ts'

export interface BasePythonSearch {
  readonly pythonPath: string | undefined
  readonly pythonVersion: string | undefined
  /** The program uv, where it is to be asked as well. */
  readonly uv: string | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * The Python that an environment is made with.
 *
 * @throws FencedError `PYTHON_NOT_FOUND`, with everything that was looked at.
 */
export async function findBasePython(search: BasePythonSearch): Promise<PythonInterpreter> {
  const { pythonPath, pythonVersion, signal } = search
  const usual = await usualPython(pythonPath, signal)
  if ('missing' in usual) {
    if (pythonPath !== undefined || pythonVersion === undefined) {
      throw notFound(usual.missing, usual.data)
    }
  } else if (pythonVersion === undefined || matchesVersion(usual.version, pythonVersion)) {
    return usual
  } else if (pythonPath !== undefined) {
    throw notFound(
      `${usual.path} is Python ${usual.version}, not ${pythonVersion} as \`pythonVersion\` requires.`,
      { program: usual.path, version: usual.version, needed: pythonVersion, option: 'pythonVersion' },
    )
  }
  return pythonOfVersion(pythonVersion ?? '', search)
}

async function usualPython(
  python: string | undefined,
  signal: AbortSignal | undefined,
): Promise<PythonInterpreter | Pick<NoInterpreter, 'missing' | 'data'>> {
  const found = await findPython({
    python,
    option: 'pythonPath',
    host: process.env,
    path: process.env.PATH ?? '',
  })
  if ('missing' in found) return found
  const [program] = found.command
  return (
    (await askInterpreter(program, signal)) ?? {
      missing: `${program} is not a working Python.`,
      data: { program },
    }
  )
}

async function pythonOfVersion(
  version: string,
  { uv, signal }: BasePythonSearch,
): Promise<PythonInterpreter> {
  const looked: string[] = []
  for (const candidate of await candidates(version, uv)) {
    const python = await askCandidate(candidate, signal)
    if (python !== undefined && matchesVersion(python.version, version)) return python
    looked.push(python === undefined ? candidate : `${candidate} (${python.version})`)
  }
  const places =
    looked.length === 0
      ? 'Nothing of that name is on the PATH, in ~/.pyenv or in /opt'
      : `These are others: ${looked.join(', ')}`
  throw notFound(
    `No Python ${version} was found. ${places}. Install one, or set \`pythonPath\` to its interpreter.`,
    { needed: version, found: looked.join(', '), option: 'pythonPath' },
  )
}

/** A version manager's stand-in names the interpreter that it would start. */
async function askCandidate(
  candidate: string,
  signal: AbortSignal | undefined,
): Promise<PythonInterpreter | undefined> {
  const found = await findPython({ python: candidate, host: process.env, path: process.env.PATH ?? '' })
  return 'missing' in found ? undefined : askInterpreter(found.command[0], signal)
}

/** Programs that may be the version, the likeliest first. */
async function candidates(version: string, uv: string | undefined): Promise<string[]> {
  const [major = '3', minor] = version.split('.')
  const names = minor === undefined ? [`python${major}`] : [`python${major}.${minor}`]
  const search = { path: trustedPath(), all: true, nothrow: true } as const
  const onPath = await Promise.all(names.map((name) => which(name, search)))
  const usual = await which('python3', search)
  return [
    ...new Set([
      ...onPath.flatMap((found) => found ?? []),
      ...(await installedByPyenv(version)),
      ...(await knownToUv(version, uv)),
      ...(usual ?? []),
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

function notFound(message: string, data: NoInterpreter['data'] = {}): FencedError {
  return new FencedError({ code: 'PYTHON_NOT_FOUND', message, data })
}

/** Whether `version` belongs to what was asked for: `3.13.1` to `3`, `3.13` and `3.13.1`. */
export function matchesVersion(version: string, asked: string): boolean {
  return version === asked || version.startsWith(`${asked}.`)
}
