import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { FencedError } from '@fenced/core'
import type { BackendProcess, ExecOptions, SandboxBackend } from '@fenced/core/sandbox'
import { ChildBackendProcess } from '@fenced/sandbox'

/** The namespaces. Without root, a user namespace allows the others, and its only user is root. */
const isRoot = process.getuid?.() === 0
const unshareOptions = [
  ...['--mount', '--pid', '--mount-proc', '--ipc', '--uts', '--fork', '--kill-child'],
  ...(isRoot ? [] : ['--user', '--map-root-user']),
]
const enterOptions = [
  '--mount',
  '--pid',
  '--ipc',
  '--uts',
  ...(isRoot ? [] : ['--user', '--preserve-credentials']),
]

/** The names of the only user. */
const onlyUser = ['root', '0', '0:0']

/** The working directory, in a `/tmp` of the sandbox that is in memory. */
export const directory = '/tmp/workspace'

/**
 * Process 1 of the namespace. It ends when its stdin does, also when this Node process is killed; then the kernel kills all other
 * processes of the namespace. While it waits, it reaps orphans.
 */
const keeper = `exec 3<&0
mount -t tmpfs tmpfs /tmp && mkdir "$1" || exit
echo ready
cat <&3 > /dev/null &
wait $!`

/** Enters the directory. A shell outside of the namespace waits: nsenter itself would stop when its child is stopped. */
const outside = '"$@"; exit "$?"'
const inside = 'cd -- "$1" || exit 126; shift; exec env "$@"'

/** Why namespaces cannot be used here; `undefined` when they can. */
export function namespaceProblem(): string | undefined {
  const { error, stderr, status } = spawnSync('unshare', [...unshareOptions, 'nsenter', '--version'])
  return status === 0 ? undefined : (error?.message ?? `${stderr}`.trim())
}

/**
 * Processes in their own process, mount, IPC and UTS namespaces, as the backend of a sandbox. They see the files and the network of the
 * machine, and are the same user: that isolates nothing. But they end together, and see no other processes.
 */
export class NamespaceBackend implements SandboxBackend {
  readonly where = 'the namespaces of this machine'
  /** A pipe on this machine is never forgotten. */
  readonly maxRestMs = Infinity
  readonly #keeper: ChildBackendProcess
  /** The process ID of process 1, on the machine. */
  readonly #init: number
  #hasEnded = false

  /** Rejects with `ISOLATION_UNAVAILABLE` when the namespaces cannot be made, and with the reason of the signal. */
  static async start({ signal }: { readonly signal: AbortSignal }): Promise<NamespaceBackend> {
    signal.throwIfAborted()
    const command = [...unshareOptions, '/bin/sh', '-c', keeper, 'sh', directory]
    const child = spawn('unshare', command, { stdio: 'pipe', detached: true })
    const process = new ChildBackendProcess(child)
    const onAbort = () => child.kill('SIGKILL')
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const isReady = await Promise.race([once(process.stdout, 'data').then(() => true), process.exit])
      signal.throwIfAborted()
      if (isReady !== true) throw unavailable(`${process.stderr.read() ?? 'unshare ended'}`.trim())
      const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
      process.unref()
      return new NamespaceBackend(process, Number.parseInt(children, 10))
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  private constructor(keeper: ChildBackendProcess, init: number) {
    this.#keeper = keeper
    this.#init = init
    void keeper.exit.then(() => {
      this.#hasEnded = true
    })
  }

  async exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<BackendProcess> {
    const { user, cwd, env, stdin, signal } = options
    signal.throwIfAborted()
    if (this.#hasEnded) throw gone()
    if (user !== undefined && !onlyUser.includes(user)) throw otherUser(user)
    const enter = [
      '--target',
      `${this.#init}`,
      ...enterOptions,
      '--no-fork',
      '--',
      '/bin/sh',
      '-c',
      outside,
      'sh',
    ]
    const variables = Object.entries(env).map((pair) => pair.join('='))
    // A command leads a session, as in a container.
    const there = [
      'setsid',
      '/bin/sh',
      '-c',
      inside,
      'sh',
      cwd,
      ...variables,
      '/bin/sh',
      '-c',
      'exec "$@"',
      'sh',
    ]
    const stdio = [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const
    return new ChildBackendProcess(
      spawn('nsenter', [...enter, ...there, ...command], { stdio: [...stdio], detached: true }),
    )
  }

  async state(): Promise<'running' | 'ended'> {
    return this.#hasEnded ? 'ended' : 'running'
  }

  /** Waits until the kernel has ended all processes of the namespace. */
  async remove(): Promise<void> {
    if (this.#hasEnded) return
    this.#keeper.ref()
    try {
      process.kill(this.#init, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
    await this.#keeper.exit
  }
}

function gone(): FencedError {
  return new FencedError({
    code: 'SANDBOX_GONE',
    message: 'The namespaces have ended. Start again to get new ones.',
  })
}

function otherUser(user: string): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `The only user of these namespaces is root: no command can be started as ${user}. Leave \`user\` out.`,
    data: { user, option: 'user' },
  })
}

function unavailable(reason: string): FencedError {
  return new FencedError({
    code: 'ISOLATION_UNAVAILABLE',
    message: `The namespaces could not be made: ${reason}. Run as root, or allow user namespaces.`,
    data: { reason },
  })
}
