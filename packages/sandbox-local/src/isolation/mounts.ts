import { existsSync, lstatSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'
import { writableThrough } from '@fenced/core/internal'
import { etcArguments } from './etc.ts'
import type { MountedPath } from './opened-paths.ts'
import { isIn } from './path-in.ts'
import { hiddenSecrets, type ReadablePath } from './readable-paths.ts'
import type { UnprivilegedUser } from './unprivileged-user.ts'

/** The system, as far as programs can read it, where it is there. Of `/etc` see {@link etcArguments}. */
export const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']
/** Files that only their owner can read. The owner can be the user that runs programs. */
const kernelSecrets = ['/proc/keys', '/proc/kcore']
/** Of the kernel's own files those that root may write without a capability: in the sandbox root is still root. */
const kernelSettings = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus']

const messageQueues = '/dev/mqueue'
/** A part of /dev, unless it is mounted for another user. */
const sharedMemory = '/dev/shm'

/** What all commands of a sandbox see. */
export interface MountOptions {
  /** The only writable directory, besides a separate /tmp and home. */
  readonly workDir: string
  /** Its path without links, as of its first use. */
  readonly realWorkDir: string
  /** Below it, what programs cannot write. */
  readonly readOnly: readonly string[]
  /** As `readOnly`, of what this process starts outside of the sandbox: without it no program starts. */
  readonly startedOutside: readonly string[]
  /** What programs may read beside the system. */
  readonly readable: readonly ReadablePath[]
  readonly network: boolean
  /** That of programs, where it is not the one of this process. */
  readonly user?: UnprivilegedUser | undefined
}

/** What a command sees in bubblewrap. */
export interface CommandMounts {
  /** Readable there, beside the system. */
  readonly directories: readonly string[]
  /** Directories that it can write to, beside the working directory. Default: none. */
  readonly writable?: readonly string[] | undefined
}

/** The directories that a command can write to, each with the path at which bubblewrap finds it. */
export type WritableSources = ReadonlyMap<string, string>

/** The arguments of bubblewrap that make the file system of a command. */
export function mountArguments(
  { workDir, readOnly: kept, startedOutside, readable, network, user }: MountOptions,
  directories: readonly string[],
  writable: WritableSources,
): string[] {
  // Directories in the working directory are visible anyway. There, or after a link to there, code could have added a link to another directory.
  const elsewhere = [...new Set(directories)].filter(
    (path) => path !== '/' && !isIn(path, workDir) && writableThrough(path) === undefined,
  )
  const etc = etcArguments()
  const searchableAbove = user === undefined ? () => [] : searchableDirectoriesAbove
  // The order is the order of mounting: what comes later lies on top.
  return [
    ...searchableAbove([...system, ...etc.filter((word) => word.startsWith('/etc/')), ...inMemory()]),
    ...system.flatMap(readOnly),
    ...etc,
    ...['--dev', '/dev', '--proc', '/proc'],
    // Programs have them in any case; mounted they can be seen.
    ...(existsSync('/proc/sys/fs/mqueue') ? ['--mqueue', messageQueues] : []),
    ...kernelSettings.flatMap(readOnly),
    ...inMemoryFor(user),
    ...searchableAbove([...readable.map(({ path }) => path), ...elsewhere, ...writable.keys()]),
    // A system's resolver keeps its list of name servers below /run.
    ...(network ? readOnly('/run/systemd/resolve') : []),
    ...readable.flatMap(({ path, realPath }) => ['--ro-bind', realPath, path]),
    ...hiddenFiles(readable).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...hiddenSecrets(readable).directories.flatMap((path) => ['--tmpfs', path]),
    ...elsewhere.flatMap(readOnly),
    ...[...writable].flatMap(([path, source]) => ['--bind', source, path]),
    // What is mounted on cannot be renamed, and so nothing be put in its place.
    ...directoriesAbove(workDir, [...kept, ...startedOutside]).flatMap((path) => ['--bind-try', path, path]),
    // An interpreter in the working directory is run outside of the sandbox, too, and by other programs.
    ...kept.flatMap(readOnly),
    ...startedOutside.flatMap((path) => ['--ro-bind', path, path]),
    ...['--remount-ro', '/', '--setenv', 'TMPDIR', '/tmp'],
  ]
}

/** What programs of another sandbox could exchange before it is mounted, because they can write to a directory above it. */
export function exchangeablePaths(
  { workDir, realWorkDir, readOnly: kept, startedOutside, readable }: MountOptions,
  { writable = [] }: Pick<CommandMounts, 'writable'>,
): MountedPath[] {
  const inWorkDir = [...directoriesAbove(workDir, [...kept, ...startedOutside]), ...kept, ...startedOutside]
  const protectedPaths = [...new Set(inWorkDir)].map((path) => ({
    path,
    realPath: join(realWorkDir, relative(workDir, path)),
  }))
  return [
    { path: workDir, realPath: realWorkDir },
    ...writable.map((path) => ({ path })),
    // Other programs replace files all the time.
    ...readable.filter(({ realPath }) => isDirectory(realPath) || writableThrough(realPath) !== undefined),
    ...protectedPaths,
  ]
}

/** Without the protected paths that are gone. A program could put a link in the place of one before it is mounted. */
export function presentMounts(options: MountOptions): MountOptions {
  const isPresent = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined
  return { ...options, readOnly: options.readOnly.filter(isPresent) }
}

/** What each command has for itself: its directories in memory, and what processes share with each other by a number. */
export function privatePaths({ workDir, readable, user }: MountOptions): readonly string[] {
  const directories = [
    ...inMemory(),
    ...hiddenSecrets(readable).directories,
    '/dev',
    ...(user === undefined ? [] : [sharedMemory]),
  ]
  return [
    ...directories.filter((path) => !isIn(path, workDir)),
    ...['shm', 'sem', 'msg'].map((kind) => `/proc/sysvipc/${kind}`),
    messageQueues,
  ]
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function readOnly(path: string): string[] {
  return ['--ro-bind-try', path, path]
}

function hiddenFiles(readable: readonly ReadablePath[]): string[] {
  return [...kernelSecrets.filter((path) => existsSync(path)), ...hiddenSecrets(readable).files]
}

function inMemoryFor(user: UnprivilegedUser | undefined): string[] {
  if (user === undefined) return inMemory().flatMap((path) => ['--tmpfs', path])
  return [...inMemory(), sharedMemory].flatMap((path) => ['--perms', '1777', '--tmpfs', path])
}

/** Those that bubblewrap makes itself can be searched by root only where it likes. */
function searchableDirectoriesAbove(paths: readonly string[]): string[] {
  const above = new Set(paths.flatMap((path) => directoriesBetween('/', path)))
  return [...above].flatMap((path) => ['--perms', '0755', '--dir', path])
}

/** Empty at first, and writable. */
function inMemory(): string[] {
  return ['/tmp', '/var/tmp', '/run', ...homeDirectories()]
}

/** An empty one, where there can be one: services have none, and it may be a part of the system. */
function homeDirectories(): string[] {
  const home = homedir()
  const isPart = ['/etc', ...system].some((path) => isIn(home, path))
  return isAbsolute(home) && home !== '/' && !isPart ? [home] : []
}

function directoriesAbove(root: string, paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => directoriesBetween(root, path)))]
}

/** Those above `path` that are below `root`, the topmost first. */
function directoriesBetween(root: string, path: string): string[] {
  const names = relative(root, path).split('/').slice(0, -1)
  return names.map((_, index) => join(root, ...names.slice(0, index + 1)))
}
