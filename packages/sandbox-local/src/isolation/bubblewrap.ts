import { randomUUID } from 'node:crypto'
import { closeSync, constants, openSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { FencedError, type Notice } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { usableTemporaryPath } from '@fenced/core/internal'
import { reasonIn } from '@fenced/errors'
import { captureOutput, findProgram } from '@fenced/host'
import type { LimitedCommand, Limiter } from './limits.ts'
import {
  type CommandMounts,
  exchangeablePaths,
  type MountOptions,
  mountArguments,
  presentMounts,
  privatePaths,
  system,
  type WritableSources,
} from './mounts.ts'
import { findStat, OpenedPaths } from './opened-paths.ts'
import { systemCallFilter } from './system-call-filter.ts'
import { fileIdentity, TestedBefore } from './tested-before.ts'
import { UnprivilegedUser } from './unprivileged-user.ts'

/** The first descriptor that programs have no other use for; it is closed before they begin. */
const filterDescriptor = 3
/** Of the {@link StartReport}. Bubblewrap closes it in the sandbox. */
const reportDescriptor = 4
/** Also of the report, for the comparison of mounts, which closes it before the command begins. */
const proofDescriptor = 5

/** The first descriptor of a command that bubblewrap does not use. */
export const firstFreeDescriptor = 6

export interface BubblewrapOptions extends MountOptions {
  /** Bounds what its programs use. */
  readonly limiter?: Limiter | undefined
}

/** A bubblewrap command that runs another command. */
interface WrappedCommand extends Disposable {
  readonly command: readonly [string, ...string[]]
  /** Its descriptors from 3 on, open until this is disposed. */
  descriptors(report?: number): readonly number[]
  /** Its limits, which are to end with it. */
  readonly limited: LimitedCommand | undefined
  /** Keeps open what was opened for its mounts, until it has ended. */
  holdUntil(ended: Promise<unknown>): void
}

interface WrapOptions extends CommandMounts {
  /** Default: the working directory. */
  readonly cwd?: string | undefined
  /** Whether the command is process 1 of its process table. Default: process 1 is bubblewrap's own. */
  readonly isProcess1?: boolean | undefined
  /** Whether descriptors 4 and 5 belong to a {@link StartReport}. */
  readonly reports?: boolean | undefined
}

/** Runs programs in bubblewrap, each in a separate sandbox. */
export class Bubblewrap {
  readonly #programs: Programs
  readonly #filter: Uint8Array
  readonly #options: BubblewrapOptions
  /** The user of this process that it was tested as. */
  readonly #hostUser = process.geteuid?.()
  readonly #tested: TestedBefore

  /**
   * Returns a bubblewrap that was tested on this machine.
   *
   * If this process is root, programs run as an {@link UnprivilegedUser}, or a notice says why they do not.
   *
   * @throws FencedError `ISOLATION_UNAVAILABLE`; `PROGRAM_WRITABLE` where code could replace the program bwrap.
   */
  static async find(options: BubblewrapOptions, { signal, notice }: StartContext): Promise<Bubblewrap> {
    const program = findProgram('bwrap')
    if (program === undefined) {
      throw unavailable(
        'the program bwrap is not on the PATH. Install it (the bubblewrap package on Debian, Ubuntu and Fedora), or use a container.',
        { program: 'bwrap' },
      )
    }
    const stat = findStat(system)
    if (stat === undefined) {
      throw unavailable('the program stat is not on the PATH. Install it (the coreutils package).', {
        program: 'stat',
      })
    }
    const programs = { bwrap: program, stat }
    const filter = systemCallFilter(process.arch)
    if (filter === undefined) {
      throw unavailable(`there is no system call filter for ${process.arch} processors. Use a container.`, {
        architecture: process.arch,
      })
    }
    const user = process.getuid?.() === 0 ? UnprivilegedUser.find() : undefined
    let problem = typeof user === 'string' ? user : ''
    if (typeof user === 'object') {
      const unprivileged = new Bubblewrap(programs, filter, { ...options, user })
      problem = (await unprivileged.problem(signal))?.what ?? ''
      if (problem === '') return unprivileged
    }
    const bubblewrap = new Bubblewrap(programs, filter, options)
    const failure = await bubblewrap.problem(signal)
    if (failure !== undefined)
      throw unavailable(`${failure.what} ${failure.advice}`, { reason: failure.what })
    if (problem !== '') notice(runsAsRoot(problem))
    return bubblewrap
  }

  private constructor(programs: Programs, filter: Uint8Array, options: BubblewrapOptions) {
    this.#programs = programs
    this.#filter = filter
    this.#options = options
    this.#tested = new TestedBefore(factsOf(programs, filter, options))
  }

  /** Called when a process shows that it does not work after all. */
  forget(): void {
    this.#tested.forget()
  }

  /** {@link privatePaths} of each command. */
  get privatePaths(): readonly string[] {
    return privatePaths(this.#options)
  }

  /**
   * Returns the command that runs `command` inside.
   *
   * @throws FencedError `ISOLATION_UNAVAILABLE` if this process has changed its user; `LIMITS_UNAVAILABLE`.
   */
  wrap(command: readonly string[], options: WrapOptions): WrappedCommand {
    const { limiter, user, workDir } = this.#options
    if (process.geteuid?.() !== this.#hostUser) throw userChanged()
    const { bwrap, stat } = this.#programs
    const mounts = presentMounts(this.#options)
    const opened = new OpenedPaths(exchangeablePaths(mounts, options))
    const writable = [workDir, ...(options.writable ?? [])].map((path) => ({ path, ...opened.get(path) }))
    const sources = new Map(
      writable.map(({ path, realPath }, index) => [path, user?.place(index) ?? realPath]),
    )
    const asUser = user?.become(command) ?? command
    const inside: [string, ...string[]] = [
      bwrap,
      ...wrapArguments(mounts, { ...options, sources }),
      '--seccomp',
      `${filterDescriptor}`,
      '--',
      // Before the user changes: root can look at all of them.
      ...(options.reports ? opened.compare(asUser, { stat, proof: proofDescriptor }) : asUser),
    ]
    const cwd = opened.get(options.cwd ?? workDir).realPath
    const words = user?.withFilesIn({ directories: writable, cwd }, inside) ?? inside
    const limited = limiter?.wrap(words)
    const filter = openInMemory(this.#filter)
    let isHeld = false
    return {
      command: limited?.command ?? words,
      descriptors: (report) => [filter, report, report].filter((each) => each !== undefined),
      limited,
      holdUntil: (ended) => {
        isHeld = true
        void ended.catch(() => {}).then(() => opened[Symbol.dispose]())
      },
      [Symbol.dispose]: () => {
        closeSync(filter)
        if (!isHeld) opened[Symbol.dispose]()
      },
    }
  }

  /** Why the sandbox is none; `undefined` when it works. */
  async problem(signal: AbortSignal): Promise<Problem | undefined> {
    if (this.#tested.hasPassed) return undefined
    const user = `${this.#options.user?.number ?? ''}`
    const words = ['/bin/sh', '-c', checkScript, 'fenced-check', user]
    using wrapped = this.wrap(words, { directories: [] })
    const found = await problemOf(wrapped, signal)
    if (found === undefined) this.#tested.remember()
    return found
  }
}

interface Programs {
  readonly bwrap: string
  /** As programs see it. */
  readonly stat: string
}

/** What the test depends on. Another working directory on the same file system is mounted in the same way. */
function factsOf({ bwrap, stat }: Programs, filter: Uint8Array, options: BubblewrapOptions): object {
  const { workDir, realWorkDir, user, limiter, ...mounts } = options
  return {
    programs: [bwrap, stat, '/bin/sh', ...(user?.programs ?? [])].map(fileIdentity),
    filter: Buffer.from(filter).toString('base64'),
    fileSystem: `${statSync(realWorkDir, { bigint: true }).dev}`,
    limits: limiter?.limits,
    mounts: presentMounts({ ...mounts, workDir: '', realWorkDir: '' }),
    checkScript,
  }
}

/** Its answer is 0 when the sandbox is closed, and else the number of what is open. Nothing is written. */
const checkScript = `
(: >> /proc/sys/kernel/core_pattern) 2> /dev/null && exit 101
while read -r name value more; do
  [ "$name" = Seccomp: ] && mode=$value
  [ "$name" = Uid: ] && user=$value
done < /proc/self/status
[ "$mode" = 2 ] || exit 102
[ -z "$1" ] || [ "$user" = "$1" ] || exit 103
[ -z "$1" ] || [ -O . ] || exit 104
`
const openings: Readonly<Record<number, string>> = {
  101: 'programs in its sandbox could change the settings of the kernel (/proc/sys).',
  102: 'the kernel does not filter the system calls of programs in its sandbox.',
  103: 'programs in its sandbox are still root.',
  104: 'programs in its sandbox do not own the working directory.',
}

interface Problem {
  readonly what: string
  readonly advice: string
}

async function problemOf(wrapped: WrappedCommand, signal: AbortSignal): Promise<Problem | undefined> {
  // It takes milliseconds, and a bwrap that is killed while it begins leaves a child that waits for ever.
  const { failure, exitCode, stderr } = await captureOutput(wrapped.command, {
    env: process.env,
    timeoutMs: 10_000,
    descriptors: wrapped.descriptors(),
  }).finally(() => wrapped.limited?.end())
  signal.throwIfAborted()
  if (failure === undefined) return undefined
  const what = openings[exitCode]
  return what === undefined
    ? {
        what: `bwrap cannot make a sandbox on this machine: ${reasonIn(stderr) || reasonIn(failure)}.`,
        advice: 'It may lack user namespaces, as many containers do. Allow them, or use a container.',
      }
    : { what, advice: 'Run as a user other than root, or use a container.' }
}

/** @returns a descriptor of a file without a name, which reads this from the beginning and cannot write. */
function openInMemory(content: Uint8Array): number {
  // Not by /proc/self/fd, which belongs to another user once this process has changed its own.
  const path = usableTemporaryPath(`fenced-${randomUUID()}`)
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants
  const descriptor = openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600)
  try {
    writeFileSync(descriptor, content)
    return openSync(path, O_RDONLY | O_NOFOLLOW)
  } finally {
    unlinkSync(path)
    closeSync(descriptor)
  }
}

interface SourcedOptions extends WrapOptions {
  readonly sources: WritableSources
}

function wrapArguments(
  options: BubblewrapOptions,
  { cwd = options.workDir, isProcess1 = false, reports = false, directories, sources }: SourcedOptions,
): string[] {
  const { network, user } = options
  // A user namespace of bubblewrap has only this process's user, so root could not change to another user in it.
  const namespaces = user === undefined ? ['user-try', ...otherNamespaces] : otherNamespaces
  return [
    ...namespaces.filter((name) => !network || name !== 'net').map((name) => `--unshare-${name}`),
    ...['--die-with-parent', '--cap-drop', 'ALL'],
    ...(user?.capabilities.flatMap((name) => ['--cap-add', name]) ?? []),
    ...(isProcess1 ? ['--as-pid-1'] : []),
    ...mountArguments(options, directories, sources),
    // Its memory can be written there. A command that is process 1 itself refuses that, and needs to see itself.
    ...(isProcess1 ? [] : ['--tmpfs', '/proc/1', '--remount-ro', '/proc/1']),
    ...(reports ? ['--json-status-fd', `${reportDescriptor}`] : []),
    ...['--chdir', cwd],
  ]
}

const otherNamespaces = ['ipc', 'pid', 'net', 'uts', 'cgroup-try']

function runsAsRoot(problem: string): Notice {
  return {
    code: 'weaker-isolation',
    message: `Programs in bubblewrap run as root, because this machine does not support another user: ${problem} They can read root-only files in visible directories, such as /usr and the \`readable\` paths. Start this program as a user other than root.`,
    data: { reason: problem },
  }
}

function userChanged(): FencedError {
  const reason = 'this process changed its user after the sandbox had started.'
  return unavailable(`${reason} Call restart(), or create the executor after the change.`, { reason })
}

function unavailable(why: string, data: Readonly<Record<string, string>>): FencedError {
  return new FencedError({
    code: 'ISOLATION_UNAVAILABLE',
    message: `Bubblewrap does not work on this machine: ${why} No code was run.`,
    data: { isolation: 'bubblewrap', ...data },
  })
}
