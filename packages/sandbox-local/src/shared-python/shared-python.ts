import { connect, type Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { type Environment, endProgramsWithHost, ResidentProcess } from '@fenced/host'
import {
  FrameReader,
  helloProblem,
  runnerCommand,
  runnerSource,
  type SharedInterpreter,
  startFailure,
} from '@fenced/sandbox/driver'
import { raceGrace } from '@fenced/shared'
import { inheritedSettings } from '../inherited-settings.ts'
import { ForkedPython } from './forked-python.ts'

/** Time limit for a resident Python to answer a connection, in milliseconds. A stopped process does not answer. */
const answerMs = 2_000
/** Time limit for the last output of an ended Python, in milliseconds. */
const wordsMs = 250

/** A Python that becomes a resident Python for each connection of this process. Linux only. */
export class SharedPython {
  readonly #process: ResidentProcess
  readonly #onIdle: () => void
  readonly #ready = Promise.withResolvers<void>()
  /** The settings of this Node process when it started this Python. */
  readonly #settings = inheritedSettings()
  #address = ''
  /** By their process numbers. */
  readonly #servers = new Map<number, ForkedPython>()
  /** Of resident Pythons. */
  readonly #earlyEnds = new EarlyEnds()
  /** Those that keep this process going: their ends come on the stream of this Python. */
  readonly #holders = new Set<ForkedPython>()
  #connecting = 0
  /** Whether it can become another resident Python. */
  isUsable = true

  /**
   * Starts a Python and imports the modules. Leaves no process running when it throws.
   *
   * @throws FencedError as `ResidentPython.start`; the signal's reason.
   */
  static async start(
    interpreter: SharedInterpreter,
    env: Environment,
    { signal, onIdle }: { readonly signal: AbortSignal; readonly onIdle: () => void },
  ): Promise<SharedPython> {
    endProgramsWithHost()
    const python = new SharedPython(interpreter, env, onIdle)
    const giveUp = () => python.#ready.reject(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      await python.#ready.promise
      python.#process.setRef(false)
      return python
    } catch (error) {
      const words = python.#process.hasExited ? await python.#process.finalStderr(wordsMs) : ''
      await python.#process.kill()
      throw startFailure(error, interpreter.preload, words)
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  private constructor({ python, preload }: SharedInterpreter, env: Environment, onIdle: () => void) {
    this.#onIdle = onIdle
    this.#process = new ResidentProcess({
      command: runnerCommand(python, preload, 'shared') as [string, ...string[]],
      cwd: '/',
      env,
      stdin: true,
      stdout: true,
      endsWithStdin: true,
    })
    const frames = new FrameReader({
      flowing: '',
      flow: () => {},
      whole: (kind, body) => this.#hear(kind, FrameReader.partsOf(body)),
    })
    const output = this.#process.output as Readable
    output.on('data', (chunk: Buffer) => {
      try {
        frames.push(chunk)
      } catch {
        this.#lose()
      }
    })
    void this.#process.exited.then(() => this.#lose())
    const input = this.#process.input as Writable
    input.write(runnerSource)
  }

  get isIdle(): boolean {
    return this.#servers.size + this.#connecting === 0
  }

  /** Returns a resident Python; `undefined` when this Python does not answer or is outdated, and is then no longer usable. */
  async connect(): Promise<ForkedPython | undefined> {
    this.#connecting++
    const socket = connect({ path: `\0${this.#address}` })
    try {
      const processId = await raceGrace(firstAnswer(socket), answerMs)
      if (typeof processId === 'number' && !this.#isOutdated) return this.#add(processId, socket)
      socket.destroy()
      this.isUsable = false
      return undefined
    } finally {
      this.#connecting--
      this.#restIfIdle()
    }
  }

  /** Whether a Python that this Node process starts now would have another user, umask, limit or the like. */
  get #isOutdated(): boolean {
    return inheritedSettings() !== this.#settings
  }

  /** Ends it after its last resident Python. */
  retire(): void {
    this.isUsable = false
    this.#restIfIdle()
  }

  #add(processId: number, socket: Socket): ForkedPython {
    const server = new ForkedPython(processId, socket, {
      setRef: (keeps) => {
        if (keeps) this.#holders.add(server)
        else this.#holders.delete(server)
        this.#process.setRef(this.#holders.size > 0)
      },
      // A program can stop it, as every process of its user.
      resume: () => this.#process.signal('SIGCONT'),
      isOutdated: () => this.#isOutdated,
    })
    this.#servers.set(processId, server)
    void server.ended.then(() => {
      this.#servers.delete(processId)
      this.#restIfIdle()
    })
    const status = this.#earlyEnds.take(processId, performance.now())
    if (status !== undefined) server.endedWith(status)
    if (this.#process.hasExited) server.parentHasEnded()
    return server
  }

  #hear(kind: string, parts: readonly string[]): void {
    if (kind === 'e') {
      const [processId, status] = parts.map(Number) as [number, number]
      const server = this.#servers.get(processId)
      if (server === undefined) this.#earlyEnds.add(processId, status, performance.now())
      else server.endedWith(status)
      return
    }
    const problem = helloProblem(kind, parts)
    this.#address = parts[1] ?? ''
    if (problem === undefined) this.#ready.resolve()
    else this.#ready.reject(problem)
  }

  #lose(): void {
    this.isUsable = false
    this.#ready.reject(helloProblem('', []))
    // Resident Pythons continue after the end of their parent.
    for (const server of this.#servers.values()) server.parentHasEnded()
    this.#restIfIdle()
  }

  #restIfIdle(): void {
    if (!this.isIdle) return
    if (this.isUsable) this.#onIdle()
    // With all that has its mark: what resident Pythons left that have ended after it.
    else void this.#process.kill()
  }
}

/** The process number of a resident Python that says that it is ready; `undefined` when another program answers, or none. */
export function firstAnswer(socket: Socket): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const frames = new FrameReader({
    flowing: '',
    flow: () => {},
    whole: (kind, body) => {
      // Its next word is for the reader of its stream.
      socket.pause().removeListener('data', receive)
      resolve(kind === 'h' ? Number(FrameReader.partsOf(body)[1]) : undefined)
    },
  })
  const receive = (chunk: Buffer) => {
    try {
      frames.push(chunk)
    } catch {
      // Another program of this user can end the shared Python and listen under its name.
      socket.destroy()
    }
  }
  socket.on('data', receive)
  socket.once('error', () => resolve(undefined)).once('close', () => resolve(undefined))
  return promise
}

/** An end that is older belongs to an earlier process with the same number, in milliseconds. */
const longestMs = 10_000

/** Ends that were reported of processes which have not answered yet, by their numbers. */
export class EarlyEnds {
  readonly #ends = new Map<number, { readonly status: number; readonly atMs: number }>()

  /** @param nowMs - the time of a monotonic clock. */
  add(processId: number, status: number, nowMs: number): void {
    for (const [id, { atMs }] of this.#ends) if (nowMs - atMs > longestMs) this.#ends.delete(id)
    this.#ends.set(processId, { status, atMs: nowMs })
  }

  /** Returns the end of a process and forgets it; `undefined` if none was reported, or only long ago. */
  take(processId: number, nowMs: number): number | undefined {
    const end = this.#ends.get(processId)
    this.#ends.delete(processId)
    return end === undefined || nowMs - end.atMs > longestMs ? undefined : end.status
  }
}
