import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path'
import { ignoring } from './open-directory.ts'

/** Directories by their real path, each with the paths below it that programs cannot change. */
type Directories = Map<string, readonly string[]>

/** One list for the process, also where a dependency brings another copy of this package. */
const key = Symbol.for('fenced.writableDirectories')
const shared = globalThis as { [key]?: Directories }

/** The number of kept directories above which missing directories are dropped. */
const mostKept = 1_000
/** The maximum number of links in a path, as in Linux. */
const mostLinks = 40

/**
 * Records a directory of this machine in which programs of a sandbox can write. It stays recorded after the sandbox has stopped,
 * because the files stay. When it is declared more than once, a path is protected only if every declaration protects it.
 *
 * @param except - real paths below it that programs cannot change. The directories above them must be fixed as well.
 */
export function declareWritable(directory: string, except: readonly string[] = []): void {
  shared[key] ??= new Map()
  const directories = shared[key]
  const path = comparable(realPath(directory))
  const protectedPaths = except.map(comparable)
  const known = directories.get(path)
  directories.set(
    path,
    known === undefined ? protectedPaths : known.filter((each) => protectedPaths.includes(each)),
  )
  if (directories.size % mostKept === 0) dropMissing(directories)
}

/**
 * Returns the declared directory through which programs can change what a path leads to: by replacing a file, a link or a directory
 * on the way, or by creating what does not exist yet. Returns `undefined` when they cannot.
 */
export function writableThrough(path: string): string | undefined {
  const directories = shared[key]
  if (directories === undefined || directories.size === 0) return undefined
  for (const entry of entriesOnTheWay(isAbsolute(path) ? path : `${process.cwd()}${sep}${path}`)) {
    const found = directoryThatHas(comparable(entry), directories)
    if (found !== undefined) return found
  }
  return undefined
}

/** Every file, link and directory that decides where a path leads, each by a path without links. */
function* entriesOnTheWay(path: string): Generator<string> {
  const { root } = parse(path)
  let directory = root
  const names = namesOf(path.slice(root.length))
  let links = 0
  while (names.length > 0) {
    const name = names.shift()
    if (name === '..') directory = dirname(directory)
    if (name === undefined || ['', '.', '..'].includes(name)) continue
    const entry = join(directory, name)
    yield entry
    const target = links > mostLinks ? undefined : targetOf(entry)
    if (target === undefined) {
      directory = entry
      continue
    }
    links++
    const from = parse(target).root
    if (from !== '') directory = from
    names.unshift(...namesOf(target.slice(from.length)))
  }
}

function namesOf(path: string): string[] {
  return path.split(process.platform === 'win32' ? /[\\/]/ : '/')
}

function targetOf(entry: string): string | undefined {
  try {
    return lstatSync(entry, { throwIfNoEntry: false })?.isSymbolicLink() === true
      ? readlinkSync(entry)
      : undefined
  } catch {
    // It cannot be looked at, or is gone by now.
    return undefined
  }
}

function directoryThatHas(entry: string, directories: Directories): string | undefined {
  for (let directory = dirname(entry); ; directory = dirname(directory)) {
    const protectedPaths = directories.get(directory)
    if (protectedPaths !== undefined && !protectedPaths.some((each) => isFixed(entry, each))) return directory
    if (directory === dirname(directory)) return undefined
  }
}

/** Whether an entry is a protected path, below one, or a directory above one. */
function isFixed(entry: string, protectedPath: string): boolean {
  return `${entry}${sep}`.startsWith(`${protectedPath}${sep}`) || protectedPath.startsWith(`${entry}${sep}`)
}

function dropMissing(directories: Directories): void {
  for (const path of directories.keys()) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) directories.delete(path)
  }
}

function realPath(path: string): string {
  return ignoring('ENOENT', () => realpathSync.native(path)) ?? resolve(path)
}

/** Elsewhere than on Linux names in another case are often the same. */
function comparable(path: string): string {
  return process.platform === 'linux' ? path : path.toLowerCase()
}
