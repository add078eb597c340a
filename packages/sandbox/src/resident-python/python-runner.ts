import type { Readable, Writable } from 'node:stream'
import { type BlockUsage, exitCodes } from '@fenced/core'
import type { BlockTools, StreamName } from '@fenced/core/driver'
import { afterGrace, pendingReads } from '@fenced/shared'
import { runnerSource } from '../runner-command.ts'
import { ToolConnection } from '../tools/tool-connection.ts'
import { encodeFrame, FrameReader } from './frames.ts'
import { helloProblem } from './start-failure.ts'

/** The streams of a process that was started with {@link runnerCommand}, in any sandbox. */
export interface PythonRunnerOptions {
  /** Stdin of the process. Closing it ends the runner and its program. */
  readonly input: Writable
  /** Stdout of the process. */
  readonly output: Readable
  /**
   * Files and directories, including everything below them, that a newly started interpreter would see in their current state. After
   * a program has changed them, the next program is `stale`.
   *
   * @default []
   */
  readonly privatePaths?: readonly string[]
  /** Cancels the start. The caller ends the process. */
  readonly signal?: AbortSignal
}

/** A program to run. */
export interface Program {
  /** Absolute path of its file in the sandbox of the runner. */
  readonly path: string
  readonly cwd: string
  /** Its whole environment. Default: the runner's environment. Variables that the interpreter reads at its start must be equal. */
  readonly env?: Readonly<Record<string, string>>
  /** Additional variables. */
  readonly added?: Readonly<Record<string, string>> | undefined
  /** Source that Python runs instead of the file's content at that time. Default: the file. */
  readonly content?: string | undefined
  /** Whether the file exists. If not, the content is needed, and the program finds the file only where it asks for it. Default: `true`. */
  readonly hasFile?: boolean | undefined
  /** Arguments of the program. Default: none. */
  readonly args?: readonly string[] | undefined
  /** The command before the path, for programs of other languages. */
  readonly command?: readonly [string, ...string[]] | undefined
  /** Source of the module `tools`, for a program with tools. */
  readonly tools?: string | undefined
  /** Time between SIGTERM and SIGKILL, in milliseconds. */
  readonly killGraceMs: number
}

/** Receives the output of a program. */
export interface ProgramIo {
  /** Ends the program and all processes that it started. */
  readonly signal: AbortSignal
  /** Must copy the bytes that it keeps. Reading pauses while the returned promise is pending. */
  write(stream: StreamName, chunk: Uint8Array): void | Promise<void>
  /** Called when the program has ended without being stopped. The rest of its output may still follow. */
  ended?(): void
  /** Answers the calls of a program with {@link Program.tools}. */
  readonly tools?: BlockTools | undefined
}

/**
 * How a program ended.
 *
 * - `exitCode` as a shell reports it, with `outOfMemory` when the program was killed for lack of memory, `memoryKills` when any
 *   process of its container was, `endedByItself` when the program ended before `io.signal` was aborted, `tookContent` when
 *   it ran {@link Program.content}, `leftBehind` when a process that it started could not be ended, and `usage` of all its
 *   processes that have ended.
 * - `notStarted`: why the program could not be started.
 * - `stale`: the program did not run, and needs a new runner. Packages were installed since the start of the runner, or an earlier
 *   program lowered the limits of the runner or changed a private path.
 * - `died`: the runner ended or does not answer. End its process.
 */
export type ProgramEnd =
  | {
      readonly exitCode: number
      readonly outOfMemory?: true
      readonly memoryKills?: number
      readonly endedByItself?: true
      readonly tookContent?: boolean
      readonly leftBehind?: true
      readonly usage?: Pick<BlockUsage, 'cpuMs' | 'peakMemoryBytes'>
    }
  | { readonly notStarted: { readonly errorNumber: number; readonly message: string } }
  | 'stale'
  | 'died'

const streamOf: Readonly<Record<string, StreamName>> = { o: 'stdout', e: 'stderr' }

/** Maximum number of unread answers, in answers of the largest size. */
const mostUnreadAnswers = 32

/** Time limit for the runner to confirm an order to end a program, in milliseconds. A stopped runner does not confirm it. */
const confirmMs = 4_000

/** Time limit for reporting the end of a killed program, in milliseconds. The runner waits 2 s for what does not end. */
const lastGraceMs = 4_000

/** A resident Python interpreter that runs each program in a fork, one at a time. */
export class PythonRunner {
  readonly #input: Writable
  readonly #output: Readable
  readonly #stopListening: () => void
  #io: ProgramIo | undefined
  #tools: ToolConnection | undefined
  #onFrame: (kind: string, parts: readonly string[]) => void = () => {}
  #onLoss: () => void = () => {}
  #onConfirmed: () => void = () => {}
  #limit: Disposable | undefined
  #limitMs = 0
  #held: Promise<void> = Promise.resolve()
  #isLost = false
  #isSilent = false
  #isStale = false

  /**
   * Sends the runner's source to a process that was started with {@link runnerCommand}, and waits until the runner is ready.
   *
   * @throws FencedError `PRELOAD_FAILED`, `RESIDENT_PYTHON_UNSUPPORTED` when this Python cannot fork programs, `RESIDENT_PYTHON_DIED` when it
   * ended without an answer; the reason of the signal.
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
    // The stream was paused after the ready message.
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
        this.#onFrame(kind, FrameReader.partsOf(body))
      },
    })
    const onLost = () => this.#lose()
    // The other stream reports the end.
    input.on('error', () => {})
    const onData = (chunk: Buffer) => {
      if (this.#limit !== undefined) this.#loseAfter(this.#limitMs)
      try {
        frames.push(chunk)
      } catch {
        this.#lose()
      }
    }
    output.on('error', onLost).on('end', onLost).on('close', onLost).on('data', onData)
    this.#stopListening = () => {
      output.pause().off('data', onData)
      output.off('end', onLost).off('close', onLost)
    }
  }

  /** Returns the streams of a runner that is to run no programs. Nothing reads them until the caller does. */
  release(): Pick<PythonRunnerOptions, 'input' | 'output'> {
    this.#stopListening()
    this.#isLost = true
    return { input: this.#input, output: this.#output }
  }

  /** Whether it can run another program. */
  get isUsable(): boolean {
    return !this.#isLost && !this.#isStale
  }

  /** Whether it did not answer in time. Its process may still run. */
  get isSilent(): boolean {
    return this.#isSilent
  }

  /** Runs a program to its end, or until `io.signal`, and ends all processes that it started. Never rejects. */
  async run(program: Program, io: ProgramIo): Promise<ProgramEnd> {
    const {
      path,
      cwd,
      env = {},
      added = {},
      args = [],
      command = [],
      content,
      tools,
      killGraceMs,
      hasFile = true,
    } = program
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
        ...(hasFile ? [] : ['-']),
      ]
      const order = encodeFrame('r', [path, cwd, ...variables, ...more, ...parts])
      this.#input.write(content === undefined ? order : Buffer.concat([encodeFrame('c', [content]), order]))
      const end = await this.#nextEnd()
      await this.#held
      return end(io.signal.aborted)
    } finally {
      this.#limit?.[Symbol.dispose]()
      this.#limit = undefined
      this.#onConfirmed = () => {}
      io.signal.removeEventListener('abort', stop)
      this.#io = undefined
      this.#tools?.end()
      this.#tools = undefined
    }
  }

  /** Ends the runner and its program. */
  stop(): void {
    this.#lose()
    this.#input.end()
  }

  async #greet(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => reject(signal?.reason)
    this.#onFrame = (kind, parts) => {
      const problem = helloProblem(kind, parts)
      if (problem === undefined) resolve()
      else reject(problem)
    }
    this.#onLoss = () => reject(helloProblem('', []))
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

  /** Resolves to a function, because the program may still be stopped while a slow listener reads the last output. */
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
      // The runner always reads, so the program impersonates it.
      if (this.#input.writableLength > mostUnread) this.#lose()
      else this.#send('a', [line])
    })
  }

  #send(kind: string, parts: readonly string[]): void {
    this.#input.write(encodeFrame(kind, parts))
  }

  /** @param stream - `undefined` for calls of tools. */
  #pass(stream: StreamName | undefined, chunk: Uint8Array): void {
    if (stream === undefined) {
      this.#tools?.receive(chunk)
      return
    }
    const held = this.#io?.write(stream, chunk)
    if (held !== undefined) void this.#holdUntil(held)
  }

  /** Back pressure: while the listener is slow, neither this process nor the runner reads, so the program waits. */
  async #holdUntil(ready: Promise<void>): Promise<void> {
    const all = Promise.all([this.#held, ready]).then(() => {})
    this.#held = all
    this.#output.pause()
    await all
    if (this.#held === all) this.#output.resume()
  }

  /** Treats the runner as lost when nothing has come from it for the time: its answer may be behind more output. */
  #loseAfter(timeMs: number): void {
    this.#limit?.[Symbol.dispose]()
    this.#limitMs = timeMs
    const limit = afterGrace(timeMs, async () => {
      await this.#held
      await pendingReads()
      if (this.#limit !== limit) return
      this.#isSilent = true
      this.#lose()
    })
    this.#limit = limit
  }

  #lose(): void {
    this.#isLost = true
    this.#onLoss()
  }
}

function endOf(
  kind: string,
  [first = '', second = '', third = '', fourth = '', fifth = '', microseconds, bytes]: readonly string[],
  isAborted: boolean,
): ProgramEnd | undefined {
  if (kind === 's') return 'stale'
  if (kind === 'n') return { notStarted: { errorNumber: Number(first), message: second } }
  if (kind !== 'x') return undefined
  const status = Number(first)
  const exitCode = status < 0 ? 128 - status : status
  return {
    exitCode,
    ...(second === 'oom' ? { memoryKills: 1 } : {}),
    // A shell also exits with this code when its command was killed.
    ...(second === 'oom' && exitCode === exitCodes.killed ? { outOfMemory: true } : {}),
    ...(isAborted && third === 'self' ? { endedByItself: true } : {}),
    ...(fourth === '' ? {} : { tookContent: fourth === 'bytes' }),
    ...(fifth === 'left' ? { leftBehind: true } : {}),
    ...(bytes === undefined
      ? {}
      : { usage: { cpuMs: Number(microseconds) / 1_000, peakMemoryBytes: Number(bytes) } }),
  }
}
