import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import type { Duplex, Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { exitCodeOfSignal, type StreamName } from '@fenced/core/driver'
import { raceTimeout } from '@fenced/core/internal'
import { type OutputSink, OutputStreams, type ProcessEnd, type SandboxProcess } from '@fenced/core/sandbox'
import { execa } from 'execa'
import { DescendantProcesses } from './descendant-processes.ts'
import { isNoResources, noResources, requireDescriptorsForChild, withoutInherited } from './descriptors.ts'
import { endAtExit } from './end-at-exit.ts'
import { endProgramsWithHost } from './end-programs-with-host.ts'
import { OutputPipes } from './output-pipes.ts'
import { type DrainTimes, OutputPump } from './output-pump.ts'
import { hasPipeReaders } from './pipe-readers.ts'
import { type Environment, programEnvironment } from './program-environment.ts'

/** Options of {@link startProcess}. */
export interface HostProcessOptions {
  /** The directory in which the program starts. */
  readonly cwd: string
  /**
   * Its whole environment: nothing is added, except a mark by which its processes are found.
   *
   * @default what a program needs to run (PATH, HOME, LANG, ...) of this process's environment, without keys and passwords
   */
  readonly env?: Environment | undefined
  /**
   * How long the program may take to end after SIGTERM before it gets SIGKILL, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
  /**
   * Descriptors of this process that the program gets, from 3 up. It inherits no others.
   *
   * @default []
   */
  readonly descriptors?: readonly number[] | undefined
  /**
   * Whether the descriptor behind `descriptors` is one end of a stream whose other end is {@link StartedProcess.channel}.
   *
   * @default false
   */
  readonly channel?: boolean | undefined
  /**
   * Whether its stdin is open. Then it ends with this process by the end of its stdin, so that it can see to what it started.
   *
   * @default 'none'
   */
  readonly stdin?: 'none' | 'open' | undefined
  /**
   * Takes its output.
   *
   * @default it comes from `stdout` and `stderr`
   */
  readonly output?: OutputSink | undefined
  /**
   * Whether all that the program starts ends with it, as in bubblewrap. Then no process is looked for that may have escaped.
   *
   * @default false
   */
  readonly isolated?: boolean | undefined
  /** Ends the program and everything that it started. */
  readonly signal?: AbortSignal | undefined
  /** The signal by which the program ends itself to say that what it ran was killed because there was no memory left. */
  readonly outOfMemorySignal?: NodeJS.Signals | undefined
}

/** A process on this machine. */
export interface StartedProcess extends SandboxProcess {
  /** `undefined` when it could not be started. */
  readonly processId: number | undefined
  /** Where it was to have one, and could be started. */
  readonly channel: Duplex | undefined
  /** Everything that it starts from now on, in whatever group. */
  watchDescendants(): { kill(): void }
}

/** How long processes that a program leaves behind may still write after its end, in milliseconds. */
const drainMs = 100
/** How long those that read from it may work on the rest (`>(sort > sorted.txt)`), and how often we look, in milliseconds. */
const [readersMs, readersEveryMs] = [8_000, 20]
/** After the end of a program and of all processes that are known to be its own. */
const drainTimes: DrainTimes = { quietMs: 250, longestMs: 1_000 }
/** How long a program that was killed may take to end, in milliseconds. */
const killedMs = 5_000

/**
 * Starts a program on this machine.
 *
 * @param command - the program and its arguments. No shell takes part.
 * @throws FencedError `NO_RESOURCES` when the system allows no further process or file. The reason of the signal when it
 *   was aborted before: then nothing is started.
 */
export async function startProcess(
  command: readonly [string, ...string[]],
  options: HostProcessOptions,
): Promise<StartedProcess> {
  options.signal?.throwIfAborted()
  const pipes = await OutputPipes.take()
  try {
    options.signal?.throwIfAborted()
    requireDescriptorsForChild()
  } catch (error) {
    pipes?.putBack()
    throw error
  }
  endProgramsWithHost()
  const hostProcess = new HostProcess(command, options, pipes)
  // Node reports a program that cannot be started in its next turn.
  await hostProcess.begun
  return hostProcess
}

type Exit =
  | { readonly exitCode: number; readonly signal?: NodeJS.Signals }
  | { readonly error: NodeJS.ErrnoException }

class HostProcess implements StartedProcess {
  /** Rejects when the system had nothing left to start it with. */
  readonly begun: Promise<void>
  readonly exited: Promise<void>
  readonly ended: Promise<ProcessEnd>
  readonly #command: readonly [string, ...string[]]
  readonly #options: HostProcessOptions
  readonly #child: ReturnType<typeof startChild>['nodeChildProcess']
  readonly #escaped = new DescendantProcesses()
  readonly #streams = new OutputStreams()
  readonly #pumps: readonly OutputPump[]
  /** What the sink threw. */
  #failure: { readonly error: unknown } | undefined
  #hasExited = false
  #wasAsked = false
  /** Whether nothing that it left is to be waited for. */
  #isGivenUp = false

  constructor(
    command: readonly [string, ...string[]],
    options: HostProcessOptions,
    pipes: OutputPipes | undefined,
  ) {
    this.#command = command
    this.#options = options
    const outputs = pipes?.descriptors ?? (['pipe', 'pipe'] as const)
    const subprocess = startChild(command, { ...options, outputs, mark: this.#escaped.mark })
    this.#child = subprocess.nodeChildProcess
    const [stdout, stderr] = pipes?.read() ?? [this.#child.stdout, this.#child.stderr]
    const streams = { stdout, stderr } as Readonly<Record<StreamName, Readable>>
    // A program that has ended closes it; its end says so.
    this.stdin?.on('error', () => {})
    const sink = options.output ?? this.#streams.write
    if (options.output !== undefined) this.#streams.end()
    this.#pumps = (['stdout', 'stderr'] as const).map(
      (stream) => new OutputPump(streams[stream], (chunk) => this.#pass(sink, stream, chunk)),
    )
    const exit = new Promise<Exit>((resolve) => {
      this.#child.once('error', (error) => resolve({ error }))
      // Where nothing could be started execa has a child of its own making, which reports nothing.
      void subprocess.then(({ cause }) => {
        if (this.#child.pid === undefined) resolve({ error: toError(cause) })
      })
      this.#child.once('exit', (code, signal) => {
        this.#wasAsked ||= options.signal?.aborted === true
        this.#hasExited = true
        resolve(signal === null ? { exitCode: code ?? 0 } : endedBy(signal))
      })
    })
    this.begun = this.#child.pid === undefined ? exit.then(requireResources(command)) : Promise.resolve()
    this.exited = exit.then(() => {})
    const atExit = endAtExit({
      processId: this.#child.pid,
      end: () => (options.stdin === 'open' ? this.stdin?.destroy() : this.#endNow()),
      kill: () => this.#endNow(),
    })
    this.ended = this.#end(exit).finally(() => atExit[Symbol.dispose]())
    // An error of a sink that nobody waits for must not end this process.
    this.ended.catch(() => {})
  }

  get processId(): number | undefined {
    return this.#child.pid
  }

  get channel(): Duplex | undefined {
    const { channel = false, descriptors = [] } = this.#options
    const stream = channel ? this.#child.stdio[3 + descriptors.length] : undefined
    return (stream ?? undefined) as Duplex | undefined
  }

  get stdin(): Writable | undefined {
    return this.#child.stdin ?? undefined
  }

  get stdout(): Readable {
    return this.#streams.stdout
  }

  get stderr(): Readable {
    return this.#streams.stderr
  }

  async signal(name: 'SIGINT' | 'SIGTERM' | 'SIGCONT'): Promise<void> {
    if (this.#hasExited) return
    this.#wasAsked ||= name !== 'SIGCONT'
    signalGroup(this.#child.pid, name)
  }

  watchDescendants(): { kill(): void } {
    return new DescendantProcesses(this.#escaped.mark)
  }

  async kill(): Promise<'ended' | 'stuck'> {
    this.#killNow()
    const end = await raceTimeout(
      this.ended.catch(() => {}),
      killedMs,
    )
    return end === 'late' ? 'stuck' : 'ended'
  }

  ref(): void {
    this.#setRef('ref')
  }

  unref(): void {
    this.#setRef('unref')
  }

  #setRef(how: 'ref' | 'unref'): void {
    this.#child[how]()
    for (const stream of [this.stdin, this.channel]) (stream as Partial<Socket> | undefined)?.[how]?.()
    for (const pump of this.#pumps) pump[how]()
  }

  async #end(exit: Promise<Exit>): Promise<ProcessEnd> {
    const { signal, output } = this.#options
    const end = await exit
    // It has ended, but a process that it left behind may hold its streams open for ever.
    await this.#waitForReaders(signal)
    if (signal?.aborted !== true)
      await raceTimeout(Promise.all(this.#pumps.map((pump) => pump.done)), drainMs)
    // The leader of the group has ended up to `drainMs` ago. The number belongs to a different group only if the system has used all other
    // process numbers since then.
    signalGroup(this.#child.pid, 'SIGKILL')
    const mayHaveLeft = this.#endEscaped()
    const never = new AbortController().signal
    const areRead = await Promise.all(this.#pumps.map((pump) => pump.drain(drainTimes, signal ?? never)))
    if (output === undefined) this.#streams.end()
    this.stdin?.destroy()
    this.channel?.destroy()
    if (this.#failure !== undefined) throw this.#failure.error
    if ('error' in end) return notStarted(end.error, this.#command[0], this.#options)
    const wasOutOfMemory = 'signal' in end && end.signal === this.#options.outOfMemorySignal
    return {
      kind: 'exited',
      ...(wasOutOfMemory ? endedBy('SIGKILL') : end),
      wasStopped: this.#wasAsked,
      ...(wasOutOfMemory && !this.#wasAsked ? { outOfMemory: true } : {}),
      ...(mayHaveLeft || areRead.includes(false) ? { leftBehind: true } : {}),
    }
  }

  /** Returns whether something that it started may still be there. */
  #endEscaped(): boolean {
    const { pid } = this.#child
    if (pid !== undefined && this.#options.isolated !== true)
      return this.#escaped.endRun(pid, this.#options.cwd)
    this.#escaped.kill()
    return false
  }

  async #waitForReaders(signal: AbortSignal | undefined): Promise<void> {
    const group = this.#child.pid
    const until = performance.now() + readersMs
    while (group !== undefined && !this.#isGivenUp && signal?.aborted !== true && performance.now() < until) {
      if (!isGroup(group) || !hasPipeReaders(group)) return
      await delay(readersEveryMs)
    }
  }

  #killNow(): void {
    this.#isGivenUp = true
    // Not once it has ended: its number can be another process's then.
    if (this.#hasExited) return
    this.#wasAsked = true
    if (this.#child.kill('SIGKILL')) signalGroup(this.#child.pid, 'SIGKILL')
  }

  #endNow(): void {
    this.#killNow()
    this.#escaped.kill()
  }

  #pass(sink: OutputSink, stream: StreamName, chunk: Uint8Array): void | Promise<void> {
    if (this.#failure !== undefined) return
    try {
      return sink(stream, chunk)?.catch((error: unknown) => this.#fail(error))
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#killNow()
  }
}

function startChild(
  [program, ...args]: readonly [string, ...string[]],
  {
    cwd,
    env = programEnvironment(process.env, { env: {}, inheritEnv: false }),
    killGraceMs = 1_000,
    descriptors = [],
    channel = false,
    stdin = 'none',
    mark,
    outputs,
    signal,
  }: HostProcessOptions & {
    readonly mark: Environment
    readonly outputs: readonly [number, number] | readonly ['pipe', 'pipe']
  },
) {
  const own = [...descriptors, ...(channel ? ['pipe' as const] : [])]
  // Execa takes numbers here as Node does; its types do not have them.
  const given = [...own, ...withoutInherited(3 + own.length)]
  return execa(program, args, {
    cwd,
    env: { ...env, ...mark },
    extendEnv: false,
    stdio: [
      stdin === 'open' ? 'pipe' : 'ignore',
      ...(outputs as readonly ['pipe', 'pipe']),
      ...(given as 'ignore'[]),
    ],
    encoding: 'buffer',
    buffer: false,
    reject: false,
    ...(signal === undefined ? {} : { cancelSignal: signal }),
    forceKillAfterDelay: killGraceMs,
    // A process group of its own, so that a signal reaches everything that is still in it.
    killDescendants: true,
    cleanup: false,
    windowsHide: true,
  })
}

function requireResources([program]: readonly [string, ...string[]]): (exit: Exit) => void {
  return (exit) => {
    if ('error' in exit && isNoResources(exit.error)) throw noResources(`start ${program}`, exit.error)
  }
}

function notStarted(error: NodeJS.ErrnoException, program: string, { cwd }: HostProcessOptions): ProcessEnd {
  // The system reports a missing directory as a missing program.
  const hasDirectory = existsSync(cwd)
  const why = hasDirectory ? error.message : `its directory ${cwd} does not exist.`
  const systemCode = error.code === undefined ? {} : { systemCode: error.code }
  return {
    kind: 'not-started',
    reason: error.code === 'ENOENT' ? 'not-found' : 'not-executable',
    message: `${program} could not be started: ${why}`,
    data: { program, ...(hasDirectory ? systemCode : { directory: cwd }) },
  }
}

function toError(cause: unknown): NodeJS.ErrnoException {
  return typeof cause === 'object' && cause !== null ? (cause as Error) : new Error(String(cause))
}

/** Everything that is still in the process group of a program. */
function signalGroup(leader: number | undefined, name: NodeJS.Signals): void {
  if (leader === undefined) return
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, name)
  } catch {
    // ESRCH: no process is left.
  }
}

/** Whether a process is left in it. */
function isGroup(leader: number): boolean {
  try {
    return process.platform === 'linux' && process.kill(-leader, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function endedBy(signal: NodeJS.Signals): { exitCode: number; signal: NodeJS.Signals } {
  return { exitCode: exitCodeOfSignal(constants.signals[signal]), signal }
}
