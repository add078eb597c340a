import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { BackendProcess, ExecOptions } from '@fenced/core/sandbox'
import { requirement } from '@fenced/testing'
// @boundaries-ignore The contract suites are tested with this backend; no package exports it.
import { LocalBackend } from '../../contract/test/local-backend.fixture.ts'

type Command = readonly [string, ...string[]]

/** Options of {@link ContainedBackend.start}. */
interface ContainedOptions {
  /** Exists, and is removed with the sandbox. */
  readonly directory: string
  readonly hasNetwork: boolean
  readonly signal: AbortSignal
  /**
   * Keeps the sandbox, which ends with it. It prints a line at its start.
   *
   * @default one that ends with this process
   */
  readonly keeper?: Command
}

const isolation = ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', '--die-with-parent']

/** Local processes in a process namespace, and in a network namespace unless they share the machine's network. */
export class ContainedBackend extends LocalBackend {
  readonly #keeper: ChildProcess
  readonly #enter: readonly string[]

  static async start(options: ContainedOptions): Promise<ContainedBackend> {
    const { directory, hasNetwork, signal, keeper = ['/bin/sh', '-c', 'echo; exec cat'] } = options
    signal.throwIfAborted()
    const network = hasNetwork ? [] : ['--unshare-net']
    const child = spawn('bwrap', [...isolation, ...network, '--info-fd', '3', '--', ...keeper], {
      stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    })
    const information = child.stdio[3] as Readable
    const [info] = await Promise.all([text(information), once(child.stdio[1] as Readable, 'data')])
    return new ContainedBackend(directory, child, JSON.parse(info)['child-pid'])
  }

  private constructor(directory: string, keeper: ChildProcess, processId: number) {
    super(directory)
    this.#keeper = keeper
    const asUser = process.getuid?.() === 0 ? [] : ['--user', '--preserve-credentials']
    this.#enter = ['--target', `${processId}`, '--mount', '--pid', '--net', ...asUser, '--']
  }

  /** Resolves when the sandbox has ended. */
  async ended(): Promise<void> {
    if (!this.#hasEnded) await once(this.#keeper, 'exit')
  }

  override exec(command: Command, options: ExecOptions): Promise<BackendProcess> {
    // The parent stays outside. A shell waits for its child's end; nsenter itself would stop for good with a child that is stopped.
    const parent = ['/bin/sh', '-c', '"$@"; exit "$?"', 'parent']
    // A command leads a session, as in a container.
    const there = ['setsid', '/bin/sh', '-c', 'cd "$0" && exec "$@"', options.cwd, ...command]
    return super.exec(['nsenter', '--no-fork', ...this.#enter, ...parent, ...there], options)
  }

  override async state(): Promise<'running' | 'ended' | 'unknown'> {
    return this.#hasEnded ? 'ended' : super.state()
  }

  override async remove(): Promise<void> {
    this.#keeper.kill('SIGKILL')
    await this.ended()
    await super.remove()
  }

  get #hasEnded(): boolean {
    return this.#keeper.exitCode !== null || this.#keeper.signalCode !== null
  }
}

export const namespaces = requirement('bubblewrap', problem())

function problem(): string | undefined {
  try {
    execFileSync('bwrap', [...isolation, '--unshare-net', 'true'], { stdio: 'pipe' })
    execFileSync('nsenter', ['--version'], { stdio: 'pipe' })
    return undefined
  } catch (error) {
    return `it does not run: ${String(error)}`
  }
}
