import { randomUUID } from 'node:crypto'
import { closeSync, constants, existsSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'
import { FencedError } from '@fenced/core'
import { captureOutput } from '@fenced/host'
import which from 'which'
import type { Limiter } from './limiter.ts'
import { systemCallFilter } from './system-call-filter.ts'

/** The system, as far as programs can read it, where it is there. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/nix/store']
/** What of it only its owner may read, which can be the user who runs programs. */
const secretFiles = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/proc/keys',
  '/proc/kcore',
]
const secretDirectories = ['/etc/ssh', '/etc/ssl/private', '/etc/sudoers.d']
/** Of the kernel's own files those that root may write without a capability: in the sandbox root is still root. */
const kernelSettings = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus']

const messageQueues = '/dev/mqueue'

/** The first descriptor that programs have no other use for; it is closed before they begin. */
const filterDescriptor = 3

export interface BubblewrapOptions {
  /** The only directory in which programs can write, beside a /tmp and a home of their own. */
  readonly workDir: string
  /** Below it, what programs cannot write. */
  readonly readOnly: readonly string[]
  readonly network: boolean
  /** Bounds what its programs use. */
  readonly limiter?: Limiter | undefined
}

/** A command as it is started to run another one in bubblewrap. */
interface WrappedCommand extends Disposable {
  readonly command: readonly [string, ...string[]]
  /** To be its descriptor 3. Open until this is disposed. */
  readonly filter: number
}

/** What a command sees in bubblewrap. */
interface WrapOptions {
  /** Readable there, beside the system. */
  readonly directories: readonly string[]
  /** Default: the working directory. */
  readonly cwd?: string | undefined
  /** Directories that it can write to, beside the working directory. Default: none. */
  readonly writable?: readonly string[] | undefined
}

/** Puts programs into bubblewrap, each into one of its own. */
export class Bubblewrap {
  readonly #program: string
  readonly #filter: Uint8Array
  readonly #options: BubblewrapOptions

  /**
   * One that was seen to work on this machine.
   *
   * @throws FencedError `ISOLATION_UNAVAILABLE`.
   */
  static async find(options: BubblewrapOptions, signal: AbortSignal): Promise<Bubblewrap> {
    const program = await which('bwrap', { nothrow: true })
    if (program === null) {
      throw unavailable(
        'the program bwrap is not on the PATH. Install it (Debian, Ubuntu, Fedora: the package bubblewrap), or choose another executor.',
      )
    }
    const filter = systemCallFilter(process.arch)
    if (filter === undefined) {
      throw unavailable(
        `there is no filter of system calls for ${process.arch} processors. Choose another executor.`,
      )
    }
    const bubblewrap = new Bubblewrap(program, filter, options)
    await check(bubblewrap, signal)
    return bubblewrap
  }

  private constructor(program: string, filter: Uint8Array, options: BubblewrapOptions) {
    this.#program = program
    this.#filter = filter
    this.#options = options
  }

  /** What each command has for itself: its directories in memory, and what processes share with each other by a number. */
  get privatePaths(): readonly string[] {
    const { workDir } = this.#options
    const directories = [...inMemory(), ...presentSecretDirectories(), '/dev']
    return [
      ...directories.filter((path) => !isIn(path, workDir)),
      ...['shm', 'sem', 'msg'].map((kind) => `/proc/sysvipc/${kind}`),
      messageQueues,
    ]
  }

  /** The command that runs `command` inside. */
  wrap(command: readonly string[], options: WrapOptions): WrappedCommand {
    const { limiter } = this.#options
    const filter = openFilter(this.#filter)
    const words: [string, ...string[]] = [
      this.#program,
      ...wrapArguments(this.#options, options),
      '--seccomp',
      `${filterDescriptor}`,
      '--',
      ...command,
    ]
    return {
      command: limiter?.wrap(words) ?? words,
      filter,
      [Symbol.dispose]: () => closeSync(filter),
    }
  }
}

/** Its answer is 0 when the sandbox is closed, and else the number of what is open. Nothing is written. */
const checkScript = `
(: >> /proc/sys/kernel/core_pattern) 2> /dev/null && exit 101
while read -r name value; do [ "$name" = Seccomp: ] && mode=$value; done < /proc/self/status
[ "$mode" = 2 ] || exit 102
`
const openings: Readonly<Record<number, string>> = {
  101: 'programs in its sandbox could change the settings of the kernel (/proc/sys).',
  102: 'the kernel does not filter the system calls of programs in its sandbox.',
}

async function check(bubblewrap: Bubblewrap, signal: AbortSignal): Promise<void> {
  using wrapped = bubblewrap.wrap(['/bin/sh', '-c', checkScript], { directories: [] })
  // It takes milliseconds, and a bwrap that is killed while it begins leaves a child that waits for ever.
  const { failure, exitCode, stderr } = await captureOutput(wrapped.command, {
    env: process.env,
    timeoutMs: 10_000,
    descriptors: [wrapped.filter],
  })
  signal.throwIfAborted()
  if (failure === undefined) return
  const opening = openings[exitCode]
  throw unavailable(
    opening === undefined
      ? `bwrap cannot make a sandbox on this machine: ${stderr.trim() || failure}. It may lack user namespaces, as many containers do. Allow them, or choose another executor.`
      : `${opening} Run as another user than root, or choose another executor.`,
  )
}

/** The filter of this process, in a file that has no name any more: bubblewrap takes it from a descriptor. */
let keptFilter: number | undefined

/** @returns a descriptor of its own, which reads from the beginning. */
function openFilter(filter: Uint8Array): number {
  keptFilter ??= keepInMemory(filter)
  return openSync(`/proc/self/fd/${keptFilter}`, 'r')
}

function keepInMemory(content: Uint8Array): number {
  const path = join(tmpdir(), `fenced-${randomUUID()}`)
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants
  const descriptor = openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR, 0o600)
  unlinkSync(path)
  writeFileSync(descriptor, content)
  return descriptor
}

function wrapArguments(
  { workDir, readOnly: kept, network }: BubblewrapOptions,
  { directories, cwd = workDir, writable = [] }: WrapOptions,
): string[] {
  const given = [...new Set([...directories, ...kept])].filter((path) => path !== '/')
  const [inWorkDir, elsewhere] = [
    given.filter((path) => isIn(path, workDir)),
    given.filter((path) => !isIn(path, workDir)),
  ]
  // The order is the order of mounting: what comes later lies on top.
  return [
    ...['--unshare-all', ...(network ? ['--share-net'] : []), '--die-with-parent', '--cap-drop', 'ALL'],
    ...system.flatMap((path) => readOnly(path)),
    ...['--dev', '/dev', '--proc', '/proc'],
    // Programs have them in any case; mounted they can be seen.
    ...(existsSync('/proc/sys/fs/mqueue') ? ['--mqueue', messageQueues] : []),
    ...kernelSettings.flatMap((path) => readOnly(path)),
    ...secretFiles.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...[...presentSecretDirectories(), ...inMemory()].flatMap((path) => ['--tmpfs', path]),
    // A system's resolver keeps its list of name servers below /run.
    ...(network ? readOnly('/run/systemd/resolve') : []),
    ...elsewhere.flatMap((path) => readOnly(path)),
    ...[workDir, ...writable].flatMap((path) => ['--bind', path, path]),
    // What is mounted on cannot be renamed, and so nothing be put in its place.
    ...inWorkDir
      .flatMap((path) => directoriesBetween(workDir, path))
      .flatMap((path) => ['--bind-try', path, path]),
    // An interpreter in the working directory is run outside of the sandbox, too, and by other programs.
    ...inWorkDir.flatMap((path) => (path === workDir ? partsOfVenv(path) : [path])).flatMap(readOnly),
    ...['--remount-ro', '/', '--chdir', cwd, '--setenv', 'TMPDIR', '/tmp'],
  ]
}

function readOnly(path: string): string[] {
  return ['--ro-bind-try', path, path]
}

/** Empty at first, and writable. */
function inMemory(): string[] {
  return ['/tmp', '/var/tmp', '/run', ...homes()]
}

function presentSecretDirectories(): string[] {
  return secretDirectories.filter((path) => existsSync(path))
}

/** An empty one, where there can be one: services have none, and it may be a part of the system. */
function homes(): string[] {
  const home = homedir()
  return isAbsolute(home) && home !== '/' && !system.some((path) => isIn(home, path)) ? [home] : []
}

function partsOfVenv(path: string): string[] {
  return ['bin', 'lib', 'lib64', 'pyvenv.cfg'].map((name) => join(path, name))
}

/** Those above `path` that are below `root`, the topmost first. */
function directoriesBetween(root: string, path: string): string[] {
  const names = relative(root, path).split('/').slice(0, -1)
  return names.map((_, index) => join(root, ...names.slice(0, index + 1)))
}

function isIn(path: string, root: string): boolean {
  const way = relative(root, path)
  return !way.startsWith('..') && !isAbsolute(way)
}

function unavailable(why: string): FencedError {
  return new FencedError({
    code: 'ISOLATION_UNAVAILABLE',
    message: `isolation: "bubblewrap" was asked for, but ${why} Nothing was run, and nothing is run without isolation instead.`,
  })
}
