import { closeSync, openSync, readSync, realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { FencedError } from '@fenced/core'
import {
  choosePython,
  type Environment,
  type Interpreter,
  locatePythons,
  programOnPath,
  withPathFirst,
} from '@fenced/host'
import type { LocalInterpreters } from './interpreters.ts'

/** What every process of a sandbox is given, so that all languages use one Python and one Node. */
export interface SamePrograms {
  readonly environment: Environment
  /** Directories that Python and Node need to read. */
  readonly directories: readonly string[]
}

interface Choice {
  readonly isolation: 'bubblewrap' | 'none'
  /** The caller's Python. */
  readonly python?: string | undefined
  /** The caller's variables. */
  readonly env: Environment
}

/** Directories in which programs must be found, by the program's name. */
type Places = Readonly<Record<string, string>>

/**
 * Puts the directories of the Python and the Node that run blocks first on the PATH where it has others, so that `python3`, `pip` and
 * `node` in a shell are the same programs, without `activate`. A PATH in the caller's variables gets only a Python that was chosen.
 *
 * @throws FencedError `PYTHON_NOT_FOUND` if the chosen Python does not work.
 */
export async function withSamePrograms(
  environment: Environment,
  interpreters: LocalInterpreters,
  { python: chosen, env, isolation }: Choice,
): Promise<SamePrograms> {
  const own = chosen === undefined && isolation === 'none' ? ownDirectory(environment) : undefined
  const [node, python] = await Promise.all([
    interpreters.locate('node'),
    own === undefined ? findPython(interpreters, chosen) : undefined,
  ])
  const directories = [
    ...(python?.directories ?? []),
    ...(node === undefined ? [] : interpreters.directoriesOf(node)),
  ]
  // An environment's `bin` also has the programs of its packages.
  const activated =
    chosen === undefined ? environment : withPathFirst(environment, dirname(await choosePython(chosen)))
  if (env.PATH !== undefined || env.Path !== undefined) return { environment: activated, directories }
  const ofPython = python === undefined ? own : dirname(python.command[0])
  const places = {
    ...(ofPython === undefined ? {} : { python3: ofPython }),
    ...(node === undefined ? {} : { node: dirname(node) }),
  }
  return { environment: withPlacesFirst(activated, places), directories }
}

/**
 * Returns the directory of the Python that will be found, unless it is a version manager's script or program: without isolation, this
 * saves the start of a process. `undefined` means that it must be asked.
 */
function ownDirectory({ PATH, Path }: Environment): string | undefined {
  try {
    const [first] = locatePythons(process.env, PATH ?? Path ?? '')
    return first !== undefined && isInterpreter(first) ? dirname(first) : undefined
  } catch {
    return undefined
  }
}

function isInterpreter(program: string): boolean {
  if (!/^python/.test(basename(realpathSync(program)))) return false
  const descriptor = openSync(program, 'r')
  try {
    const start = Buffer.alloc(2)
    return readSync(descriptor, start) > 0 && start.toString() !== '#!'
  } finally {
    closeSync(descriptor)
  }
}

/** Without the `python` option, only blocks that need Python report that it is missing. */
async function findPython(
  interpreters: LocalInterpreters,
  chosen: string | undefined,
): Promise<Interpreter | undefined> {
  try {
    const found = await interpreters.find({ id: 'python' })
    if ('command' in found) return found
    if (chosen === undefined) return undefined
    throw new FencedError({ code: 'PYTHON_NOT_FOUND', message: found.missing, data: found.data })
  } catch (error) {
    if (chosen === undefined) return undefined
    throw error
  }
}

/** A directory can also have another program of the second name, so this tries every order. */
function withPlacesFirst(environment: Environment, places: Places): Environment {
  const directories = Object.values(places)
  const backwards = directories.toReversed()
  const orders = [[], ...directories.map((each) => [each]), directories, backwards]
  const candidates = orders.map((order) => order.reduce(withPathFirst, environment))
  return candidates.find((each) => findsAll(each, places)) ?? backwards.reduce(withPathFirst, environment)
}

function findsAll({ PATH, Path }: Environment, places: Places): boolean {
  return Object.entries(places).every(([name, directory]) => {
    const found = programOnPath(name, PATH ?? Path ?? '')
    return found !== undefined && realpathSync(dirname(found)) === realpathSync(directory)
  })
}
