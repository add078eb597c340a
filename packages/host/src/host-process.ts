import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import type { Duplex, Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { StreamName } from '@fenced/core/driver'
import { asksToEnd, knownOptions } from '@fenced/core/internal'
import {
  type OutputSink,
  OutputStreams,
  type OutputWatcher,
  OutputWatchers,
  type ProcessEnd,
} from '@fenced/core/sandbox'
import { raceGrace } from '@fenced/shared'
import { DescendantProcesses, type ProcessMark } from './descendant-processes.ts'
import { isNoResources, noResources, requireDescriptorsForChild } from './descriptors.ts'
import { endAtExit } from './end-at-exit.ts'
import { endProgramsWithHost } from './end-programs-with-host.ts'
import {
  type HostProcessOptions,
  hostProcessOptionNames,
  type StartedProcess,
} from './host-process-options.ts'
import { OutputPipes } from './output-pipes.ts'
import { type DrainTimes, OutputPump } from './output-pump.ts'
import { hasPipeReaders } from './pipe-readers.ts'
import { programEnvironment } from './program-environment.ts'
import { isGroup, type ProcessExit, signalGroup, startChild } from './start-child.ts'

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
 * @param command - The program and its arguments. No shell is involved.
 * @throws FencedError `INVALID_OPTIONS`; `NO_RESOURCES` if the system allows no more processes or files; the signal's reason if it was already
 *   aborted, in which case nothing is started.
 */
export async function startProcess(
  command: readonly [string, ...string[]],
  options: HostProcessOptions,
): Promise<StartedProcess> {
  knownOptions(options, hostProcessOptionNames, 'startProcess()')
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

class HostProcess implements StartedProcess {
  /** Rejects when the system had nothing left to start it with. */
  readonly begun: Promise<void>
  readonly exited: Promise<void>
  readonly ended: Promise<ProcessEnd>
  readonly #command: readonly [string, ...string[]]
  readonly #options: HostProcessOptions
  readonly #child: ChildProcess
  readonly #escaped = new DescendantProcesses()
  readonly #streams = new OutputStreams()
  readonly #watchers = new OutputWatchers()
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
    const { env = programEnvironment(process.env, { env: {}, inheritEnv: false }) } = options
    const { channel = false, descriptors = [], stdin = 'none', killGraceMs, signal } = options
    const { child, exit } = startChild(command, {
      ...{ cwd: options.cwd, outputs, signal, killGraceMs },
      env: { ...env, ...this.#escaped.mark },
      stdin: stdin === 'open' ? 'pipe' : 'ignore',
      others: [...descriptors, ...(channel ? ['pipe' as const] : [])],
    })
    this.#child = child
    const [stdout, stderr] = pipes?.read() ?? [this.#child.stdout, this.#child.stderr]
    const streams = { stdout, stderr } as Readonly<Record<StreamName, Readable>>
    const sink = this.#watchers.tap(options.output ?? this.#streams.write)
    if (options.output !== undefined) this.#streams.end()
    this.#pumps = (['stdout', 'stderr'] as const).map(
      (stream) => new OutputPump(streams[stream], (chunk) => this.#pass(sink, stream, chunk)),
    )
    child.once('exit', () => {
      this.#wasAsked ||= signal?.aborted === true
      this.#hasExited = true
    })
    this.begun = this.#child.pid === undefined ? exit.then(requireResources(command)) : Promise.resolve()
    this.exited = exit.then(() => {})
    const atExit = endAtExit({
      processId: this.#child.pid,
      end: () => (options.stdin === 'open' ? this.stdin?.destroy() : this.#endNow()),
      kill: () => this.#endNow(),
    })
    this.ended = this.#end(exit).finally(() => atExit[Symbol.dispose]())
    // An unhandled error of a sink must not end this process.
    this.ended.catch(() => {})
  }

  get processId(): number | undefined {
    return this.#child.pid
  }

  get mark(): ProcessMark {
    return this.#escaped.mark
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

  async signal(name: NodeJS.Signals): Promise<void> {
    const isAsked = asksToEnd(name)
    if (this.#hasExited) return
    this.#wasAsked ||= isAsked
    signalGroup(this.#child.pid, name)
  }

  watchOutput(watcher: OutputWatcher): Disposable {
    return this.#watchers.add(watcher)
  }

  watchDescendants(): { kill(): void } {
    return new DescendantProcesses(this.#escaped.mark)
  }

  async kill(): Promise<'ended' | 'stuck'> {
    this.#killNow()
    const end = await raceGrace(
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

  async #end(exit: Promise<ProcessExit>): Promise<ProcessEnd> {
    const { signal, output } = this.#options
    const end = await exit
    // It has ended, but a process that it left behind may hold its streams open for ever.
    await this.#waitForReaders(signal)
    if (signal?.aborted !== true) await raceGrace(Promise.all(this.#pumps.map((pump) => pump.done)), drainMs)
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
    if (end.error !== undefined) return notStarted(end.error, this.#command[0], this.#options)
    const wasOutOfMemory = end.signal !== null && end.signal === this.#options.outOfMemorySignal
    const killer = wasOutOfMemory ? 'SIGKILL' : end.signal
    return {
      kind: 'exited',
      ...(killer === null ? { exitCode: end.code ?? 0 } : endedBy(killer)),
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

function requireResources([program]: readonly [string, ...string[]]): (exit: ProcessExit) => void {
  return (exit) => {
    if (exit.error !== undefined && isNoResources(exit.error))
      throw noResources(`start ${program}`, exit.error)
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

function endedBy(signal: NodeJS.Signals): { exitCode: number; signal: NodeJS.Signals } {
  return { exitCode: 128 + constants.signals[signal], signal }
}
