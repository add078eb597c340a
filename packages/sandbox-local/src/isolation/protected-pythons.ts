import { existsSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, join, relative } from 'node:path'
import { choosePython, declareWritable, locatePythons, programsOnPath, requireTrusted } from '@fenced/host'
import { isIn } from './path-in.ts'

/** Where this process looks for its Python. */
export interface PythonLocations {
  /** The option. */
  readonly python: string | undefined
  /** The PATH of programs. */
  readonly path: string
  /** The environment of this process. */
  readonly host: NodeJS.ProcessEnv
}

/** Paths below a working directory that code cannot change. */
export interface ProtectedPythons {
  /** Of Pythons that other programs of this machine may start. */
  readonly readOnly: readonly string[]
  /** The virtual environments that were named, or their parts: this process starts a Python of them outside of the sandbox. */
  readonly startedOutside: readonly string[]
}

/**
 * Finds what of a working directory must be read-only, and makes sure that this process starts no other Python from there. Called
 * before code runs in it.
 *
 * @throws FencedError `PROGRAM_WRITABLE`.
 */
export async function protectPythons(workDir: string, places: PythonLocations): Promise<ProtectedPythons> {
  const root = realPath(workDir)
  const named = await Promise.all(
    [places.python, places.host.VIRTUAL_ENV]
      .filter((name) => name !== undefined && name !== '')
      .map((name) => choosePython(name as string)),
  )
  const venvs = partsBelow(
    root,
    named.map((program) => partsOfVenv(program, root)),
  )
  // Code of another sandbox may have been there.
  for (const path of venvs) requireTrusted(path)
  declareWritable(root, venvs)
  locatePythons(places.host, places.path)
  const others = [...named, ...onPath(places)].map((program) => partsOf(program, root))
  const asNamed = (path: string) => join(workDir, relative(root, path))
  return { readOnly: partsBelow(root, others).map(asNamed), startedOutside: venvs.map(asNamed) }
}

function onPath({ path, host: { PATH = '' } }: PythonLocations): string[] {
  return ['python3', 'python'].flatMap((name) => programsOnPath(name, `${PATH}${delimiter}${path}`))
}

function partsBelow(root: string, parts: ReadonlyArray<readonly string[]>): string[] {
  return [...new Set(parts.flat())].filter((path) => path !== root && isIn(path, root))
}

/** Of a virtual environment all, else the directory of the program, unless that is all there is. */
function partsOf(program: string, root: string): readonly string[] {
  const bin = realPath(dirname(program))
  const ofVenv = partsOfVenv(program, root)
  if (ofVenv.length > 0) return ofVenv
  return [bin === root ? join(bin, basename(program)) : bin]
}

/** The virtual environment of a program. Where it is the working directory itself, the parts of it that no code has to write. */
function partsOfVenv(program: string, root: string): readonly string[] {
  const venv = dirname(realPath(dirname(program)))
  if (!existsSync(join(venv, 'pyvenv.cfg'))) return []
  if (venv !== root) return [venv]
  return ['bin', 'lib', 'lib64', 'pyvenv.cfg']
    .map((name) => join(venv, name))
    .filter((path) => existsSync(path))
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync.native(path) : path
}
