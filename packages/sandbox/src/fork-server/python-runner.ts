import type { Readable, Writable } from 'node:stream'
import { exitCodes } from '@fenced/core'
import { type BlockTools, exitCodeOfSignal, type StreamName } from '@fenced/core/driver'
import { runnerSource } from '../runner-command.ts'
import { ToolConnection } from '../tools/tool-connection.ts'
import { encodeFrame, FrameReader, partsOf } from './frames.ts'
import { greeting } from './start-failure.ts'

/** The two ends of a process that was started with {@link runnerCommand}, wherever it is. */
export interface PythonRunnerOptions {
  /** Its stdin. Its end ends the runner, and the program that runs. */
  readonly input: Writable
  /** Its stdout. */
  readonly output: Readable
  /**
   * Files and directories, including everything below them, that a newly started interpreter would see in their current state. After
   * a program has changed them, the next program is `stale`.
   *
   * @default []
   */
  readonly privatePaths?: readonly string[]
  /** Gives the start up. The process is the caller's to end. */
  readonly signal?: AbortSignal
}

/** A program that is to be run. */
export interface Program {
  /** Its file, as an absolute path where the runner is. */
  readonly path: string
  readonly cwd: string
  /** All of its environment. Default: the runner's own, which costs nothing. What the interpreter itself reads at its start must be the same. */
  readonly env?: Readonly<Record<string, string>>
  /** Variables that it gets beside those. */
  readonly added?: Readonly<Record<string, string>> | undefined
  /** What Python runs in place of what its file holds by then. Default: the file. */
  readonly content?: string | undefined
  /** Its arguments. Default: none. */
  readonly args?: readonly string[] | undefined
  /** What runs its file, where that is not Python: what comes before the path. */
  readonly command?: readonly [string, ...string[]] | undefined
  /** The source of a module `tools`, for a program that calls some. */
  readonly tools?: string | undefined
  /** How long it may take to end after SIGTERM before it gets SIGKILL, in milliseconds. */
  readonly killGraceMs: number
}

/** Who listens to a program. */
export interface ProgramIo {
  /** Ends the program and everything that it started. */
  readonly signal: AbortSignal
  /** Must copy what it keeps of the chunk. No more is read while the promise that it returns is pending. */
  write(stream: StreamName, chunk: Uint8Array): void | Promise<void>
  /** Called when the program has ended without being stopped. The rest of its output may still follow. */
  ended?(): void
  /** Answers the program's calls, where {@link Program.tools} is given. */
  readonly tools?: BlockTools | undefined
}

/**
 * How a program ended: its exit code as a shell would report it, with `outOfMemory` when it was killed because the
 * container that it is in had no memory left, with `memoryKills` when any process of that container was killed
 * meanwhile for that reason, with `endedByItself` when `io.signal` was aborted only after that, with `tookContent`
 * when it ran {@link Program.content} and not its file, and with `leftBehind` when a process that it started could not be ended, such as
 * another user's; or why it could not be started. `stale`: it was not run, because packages
 * were installed since the runner began, or a program lowered the runner's limits for good or left something in a private
 * path; a new runner knows them, and has its own. `died`: the runner went away, or does not answer any
 * more; end its process, and what it left.
 */
export type ProgramEnd =
  | {
      readonly exitCode: number
      readonly outOfMemory?: true
      readonly memoryKills?: number
      readonly endedByItself?: true
      readonly tookContent?: true
      readonly leftBehind?: true
    }
  | { readonly notStarted: { readonly errorNumber: number; readonly message: string } }
  | 'stale'
  | 'died'

const streamOf: Readonly<Record<string, StreamName>> = { o: 'stdout', e: 'stderr' }

/** How many answers of the largest size may wait for a runner that does not read. */
const mostUnreadAnswers = 32

/** Time limit for the runner to confirm an order to end a program, in milliseconds. A stopped runner does not confirm it. */
const confirmMs = 1_000

/** How long it may take to report the end of a program that it has killed, in milliseconds. */
const lastGraceMs = 1_000

/** A Python interpreter that stays, and runs each program in a fork of itself: one at a time. */
export class PythonRunner {
  readonly #input: Writable
  readonly #output: Readable
  #io: ProgramIo | undefined
  #tools: ToolConnection | undefined
  #onFrame: (kind: string, parts: readonly string[]) => void = () => {}
  #onLoss: () => void = () => {}
  #onConfirmed: () => void = () => {}
  #timer: NodeJS.Timeout | undefined
  /** What the listener asked to wait for. */
  #held: Promise<void> = Promise.resolve()
  #isLost = false
  #isSilent = false
  #isStale = false

  /**
   * Gives its source to a process that was started with {@link runnerCommand}, and waits until it is ready.
   *
   * @throws FencedError `PRELOAD_FAILED`, `RUNNER_UNSUPPORTED` where this Python cannot do it, `RUNNER_DIED` when it
   * ended without a word; the reason of the signal.
   */
  static async start(options: PythonRunnerOptions): Promise<PythonRunner> {
    const runner = new PythonRunner(options)
    await runner.#greet(options.signal)
    const { privatePaths = [] } = options
    if (privatePaths.length > 0) runner.#send('w', privatePaths)
    return runner
  }

  /** Returns a runner for a process that has already reported that it is ready. */
  static of(options: Pick<PythonRunnerOptions, 'input' | 'output'>): PythonRunner {
    const runner = new PythonRunner(options)
    // It was paused behind that word.
    options.output.resume()
    return runner
  }

  private constructor({ input, output }: PythonRunnerOptions) {
    this.#input = input
    this.#output = output
    const frames = new FrameReader({
      flowing: `${Object.keys(streamOf).join('')}t`,
      flow: (kind, chunk) => this.#pass(streamOf[kind], chunk),
      whole: (kind, body) => {
        if (kind === 's') this.#isStale = true
        this.#onFrame(kind, partsOf(body))
      },
    })
    const onLost = () => this.#lose()
    // Its end shows on the other stream.
    input.on('error', () => {})
    output.on('error', onLost).on('end', onLost).on('close', onLost)
    output.on('data', (chunk: Buffer) => {
      try {
        frames.push(chunk)
      } catch {
        this.#lose()
      }
    })
  }

  /** Whether it can run another program. */
  get isUsable(): boolean {
    return !this.#isLost && !this.#isStale
  }

  /** Whether it was given up because it did not answer: its process may still be there. */
  get isSilent(): boolean {
    return this.#isSilent
  }

  /** Runs a program to its end, or until `io.signal`; nothing that it started is left then. Never rejects. */
  async run(program: Program, io: ProgramIo): Promise<ProgramEnd> {
    const { path, cwd, env = {}, added = {}, args = [], command = [], content, tools, killGraceMs } = program
    if (this.#isStale) return 'stale'
    if (this.#isLost) return 'died'
    if (io.signal.aborted) return { exitCode: exitCodes.killed }
    const stop = () => {
      this.#send('k', [`${killGraceMs}`])
      this.#loseAfter(confirmMs)
      this.#onConfirmed = () => this.#loseAfter(killGraceMs + lastGraceMs)
    }
    this.#io = io
    if (io.tools !== undefined) this.#tools = this.#connect(io.tools)
    io.signal.addEventListener('abort', stop, { once: true })
    try {
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
      const more = Object.entries(added).map(([name, value]) => `+${name}=${value}`)
      const parts = [
        ...args.map((part) => `@${part}`),
        ...command.map((part) => `>${part}`),
        ...(tools === undefined ? [] : [`!${tools}`]),
      ]
      const order = encodeFrame('r', [path, cwd, ...variables, ...more, ...parts])
      this.#input.write(content === undefined ? order : Buffer.concat([encodeFrame('c', [content]), order]))
      const end = await this.#nextEnd()
      await this.#held
      return end(io.signal.aborted)
    } finally {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#onConfirmed = () => {}
      io.signal.removeEventListener('abort', stop)
      this.#io = undefined
      this.#tools?.end()
      this.#tools = undefined
    }
  }

  /** Lets it end, together with the program that runs. */
  stop(): void {
    this.#lose()
    this.#input.end()
  }

  async #greet(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => reject(signal?.reason)
    this.#onFrame = (kind, parts) => {
      const problem = greeting(kind, parts)
      if (problem === undefined) resolve()
      else reject(problem)
    }
    this.#onLoss = () => reject(greeting('', []))
    if (signal?.aborted) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
    if (this.#isLost) this.#onLoss()
    this.#input.write(runnerSource)
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }

  /** As a function of whether it was to be stopped, which may also come while a slow listener takes the last output. */
  #nextEnd(): Promise<(isAborted: boolean) => ProgramEnd> {
    const { promise, resolve } = Promise.withResolvers<(isAborted: boolean) => ProgramEnd>()
    this.#onLoss = () => resolve(() => 'died')
    this.#onFrame = (kind, parts) => {
      const end = endOf(kind, parts, false)
      if (end !== undefined) resolve((isAborted) => endOf(kind, parts, isAborted) ?? end)
      else if (kind === 'd') this.#io?.ended?.()
      else if (kind === 'k') this.#onConfirmed()
    }
    return promise
  }

  #connect(tools: BlockTools): ToolConnection {
    const mostUnread = mostUnreadAnswers * tools.maxMessageBytes
    return new ToolConnection(tools, (line) => {
      // A runner always reads: this is another program that speaks for it.
      if (this.#input.writableLength > mostUnread) this.#lose()
      else this.#send('a', [line])
    })
  }

  #send(kind: string, parts: readonly string[]): void {
    this.#input.write(encodeFrame(kind, parts))
  }

  /** @param stream - `undefined` for what is sent to tools. */
  #pass(stream: StreamName | undefined, chunk: Uint8Array): void {
    if (stream === undefined) {
      this.#tools?.receive(chunk)
      return
    }
    const held = this.#io?.write(stream, chunk)
    if (held !== undefined) void this.#holdUntil(held)
  }

  /** A listener that is slow stops the program in the end: no more is taken from the runner, nor by the runner from it. */
  async #holdUntil(ready: Promise<void>): Promise<void> {
    const all = Promise.all([this.#held, ready]).then(() => {})
    this.#held = all
    this.#output.pause()
    await all
    if (this.#held === all) this.#output.resume()
  }

  /** Unless it answers before, also where this process has not read it because it was busy or the listener held it up. */
  #loseAfter(timeMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(async () => {
      const timer = this.#timer
      await this.#held
      // Behind what can be read at once.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
      if (this.#timer !== timer) return
      this.#isSilent = true
      this.#lose()
    }, timeMs)
  }

  #lose(): void {
    this.#isLost = true
    this.#onLoss()
  }
}

function endOf(
  kind: string,
  [first = '', second = '', third = '', fourth = '', fifth = '']: readonly string[],
  isAborted: boolean,
): ProgramEnd | undefined {
  if (kind === 's') return 'stale'
  if (kind === 'n') return { notStarted: { errorNumber: Number(first), message: second } }
  if (kind !== 'x') return undefined
  const status = Number(first)
  const exitCode = status < 0 ? exitCodeOfSignal(-status) : status
  return {
    exitCode,
    ...(second === 'oom' ? { memoryKills: 1 } : {}),
    // Also a shell reports such an end of its command.
    ...(second === 'oom' && exitCode === exitCodes.killed ? { outOfMemory: true } : {}),
    ...(isAborted && third === 'self' ? { endedByItself: true } : {}),
    ...(fourth === 'bytes' ? { tookContent: true } : {}),
    ...(fifth === 'left' ? { leftBehind: true } : {}),
  }
}
