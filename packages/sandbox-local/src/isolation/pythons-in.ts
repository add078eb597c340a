import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { choosePython } from '@fenced/host'
import which from 'which'

/** Where this process looks for its Python. */
export interface PythonLocations {
  /** The option. */
  readonly python: string | undefined
  readonly virtualEnvironment: string | undefined
  /** The PATH. */
  readonly path: string
}

/**
 * Where below `workDir` Pythons are that this process may start outside of the sandbox: code that could write there could leave
 * the sandbox.
 */
export async function pythonsIn(workDir: string, places: PythonLocations): Promise<string[]> {
  const root = realPath(workDir)
  const programs = await programsOf(places)
  return [...new Set(programs.map((program) => partOf(program, root)))]
    .map((path) => relative(root, path))
    .filter((way) => way !== '..' && !way.startsWith('../') && !isAbsolute(way))
    .map((way) => join(workDir, way))
}

async function programsOf({ python, virtualEnvironment, path }: PythonLocations): Promise<string[]> {
  const chosen = [python, virtualEnvironment].filter((name) => name !== undefined && name !== '')
  const found = ['python3', 'python'].map((name) => which(name, { path, all: true, nothrow: true }))
  return [
    ...(await Promise.all(chosen.map((name) => choosePython(name as string)))),
    ...(await Promise.all(found)).flatMap((programs) => programs ?? []),
  ]
}

/** Of a virtual environment all, else the directory of the program, unless that is all there is. */
function partOf(program: string, root: string): string {
  const bin = realPath(dirname(program))
  if (existsSync(join(bin, '..', 'pyvenv.cfg'))) return dirname(bin)
  return bin === root ? join(bin, basename(program)) : bin
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync.native(path) : path
}
