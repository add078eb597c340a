import type { FencedError } from '@fenced/core'
import type { BlockIo, BlockTools, PreparedBlock } from '@fenced/core/driver'
import { raceGrace, untilAborted } from '@fenced/shared'
import { figuresBackend, session as sessionSource } from '../embedded.ts'
import type { PythonProgram } from '../resident-python/compiled-programs.ts'
import {
  type ReleasedPython,
  ResidentPython,
  type ResidentPythonTarget,
} from '../resident-python/resident-python.ts'
import { helloProblem, quoteStderr } from '../resident-python/start-failure.ts'
import { ToolConnection } from '../tools/tool-connection.ts'
import { toolModule } from '../tools/tool-module.ts'
import { CellInterrupt } from './cell-interrupt.ts'
import { type CheckpointMemory, checkpointMemory } from './checkpoint-reports.ts'
import { type CellEnd, objectOf, SessionCell } from './session-cell.ts'
import { SessionStream } from './session-frames.ts'

/** What a session starts with. */
export interface SessionStart {
  readonly target: ResidentPythonTarget
  readonly preload: readonly string[]
  readonly figures: boolean
  /** Grace period between the interrupt of a cell and SIGKILL, and for the end of the session, in milliseconds. */
  readonly killGraceMs: number
}

/** Why a session has no live variables any more. */
export interface SessionLoss {
  /** What happened, as the end of a sentence about Python. */
  readonly how: string
  readonly data: Readonly<Record<string, string>>
}

/** Time limit for processes to report their end, in milliseconds. */
const endMs = 1_000
/** Maximum number of unread answers of tools, in answers of the largest size. */
const mostUnreadAnswers = 32

/** Time limit for the keeper to answer an order between cells, in milliseconds: the copy of Python that it wakes may import modules. */
export const sessionAnswerMs = 150_000
/** Time limit for the keeper to say that it is there, in milliseconds. */
const pingMs = 10_000

/** Budget for contents of files that checkpoints keep: bytes, and number of files in one checkpoint. */
const fileBudget = { file_bytes: 256 * 2 ** 20, files: 10_000 }

/** The program that turns a resident Python into the keeper of a session. */
const sessionProgram: PythonProgram = { name: 'fenced_session', source: sessionSource }

/** Receives what the keeper reports on checkpoints without an order. */
export interface CheckpointListener {
  /** The copy of a checkpoint has ended. */
  died(number: number): void
  measured(memory: CheckpointMemory): void
}

/** The processes of one session: the keeper, and the running copy in which cells run. */
export class SessionProcess {
  readonly #python: ReleasedPython
  readonly #stream: SessionStream
  readonly #start: SessionStart
  readonly #incarnation: string | undefined
  #cell: SessionCell | undefined
  #tools: ToolConnection
  /** Number of copies that have ended. */
  #copies = 0
  #maxMessageBytes = 0
  #loss: SessionLoss | undefined
  #isLost = false
  #isSilent = false
  #isGivenUp = false
  /** Resolves when the running copy is there, or with the reason why there cannot be one. */
  readonly #begun = Promise.withResolvers<FencedError | undefined>()
  #interrupt: CellInterrupt | undefined
  #listener: CheckpointListener | undefined
  readonly #answers = new Map<string, (body: string | undefined) => void>()

  /** @throws FencedError like `ResidentPython.start`. */
  static async start(start: SessionStart, signal: AbortSignal): Promise<SessionProcess> {
    const python = await ResidentPython.start(start.target, start.preload, signal)
    const session = new SessionProcess(start, python.release())
    try {
      const problem = await untilAborted(session.#begun.promise, signal)
      if (problem !== undefined) throw problem
      return session
    } catch (error) {
      await session.#python.process.kill()
      throw error
    }
  }

  private constructor(start: SessionStart, python: ReleasedPython) {
    this.#start = start
    this.#python = python
    this.#incarnation = start.target.sandbox.id
    this.#tools = this.#connect(undefined)
    this.#stream = new SessionStream(python, {
      output: (stream, chunk) => this.#cell?.write(stream, chunk),
      calls: (chunk) => this.#tools.receive(chunk),
      frame: (kind, body) => this.#take(kind, Buffer.from(body).toString()),
      heard: () => this.#interrupt?.heard(),
      lost: () => this.#lose(),
    })
    const { directory } = start.target.sandbox
    const settings = { directory, ...fileBudget, ...(start.figures ? { figures: figuresBackend } : {}) }
    const { python: command, compiled: programs } = start.target
    const compiled = programs?.get(command, sessionProgram)
    if (compiled !== undefined) this.#stream.send('m', compiled)
    this.#stream.send('b', `${JSON.stringify(settings)}\0${sessionSource}`)
  }

  /** Why its variables were lost while no cell ran. The next cell forgets it. */
  async loss(): Promise<SessionLoss | undefined> {
    const { sandbox } = this.#start.target
    if (sandbox.id !== this.#incarnation)
      return { how: 'ended with its sandbox, which was replaced', data: { fault: 'sandbox' } }
    if (!this.#isLost) return this.#loss
    const end = this.#isSilent ? 'late' : await raceGrace(this.#python.process.ended, endMs)
    if (end !== 'late' && end.kind === 'lost') return { how: `ended: ${end.message}`, data: end.data ?? {} }
    if (this.#isSilent) return { how: 'stopped answering and was ended', data: { fault: 'silent' } }
    return { how: `ended.${quoteStderr(this.#python.words())}`.replace(/\.$/, ''), data: { fault: 'ended' } }
  }

  /** Whether new processes would differ from it: see `SandboxProcess.isOutdated`. */
  async isOutdated(): Promise<boolean> {
    return (await this.#python.process.isOutdated?.()) === true
  }

  /** Whether the keeper can run another cell, although variables may be lost. */
  get isAlive(): boolean {
    return !this.#isLost && this.#start.target.sandbox.id === this.#incarnation
  }

  /** Number of processes that were killed for lack of memory so far, where the sandbox counts them. */
  outOfMemoryKills(): Promise<number | undefined> | undefined {
    return this.#python.process.outOfMemoryKills?.()
  }

  /**
   * Runs a block as a cell. Never rejects.
   *
   * @param keep - number of the checkpoint that keeps the files as they are now.
   */
  async run({ content, path, isWritten }: PreparedBlock, io: BlockIo, keep?: number): Promise<CellEnd> {
    if (this.#isLost) return { kind: 'lost' }
    // A file that does not exist has no name that a reader could use.
    const cell = new SessionCell(io, path)
    this.#cell = cell
    this.#loss = undefined
    this.#python.process.ref()
    const order = {
      ...(keep === undefined ? {} : { keep }),
      ...(isWritten === false ? {} : { path }),
      ...(io.readLine === undefined ? {} : { asks: true }),
      ...(io.tools === undefined ? {} : { tools: toolModule(io.tools) }),
    }
    using interrupt = this.#interruptWith(io.signal)
    this.#interrupt = interrupt
    this.#stream.send('c', `${JSON.stringify(order)}\0${content}`)
    const end = await cell.ended
    await this.#stream.held
    this.#cell = undefined
    this.#interrupt = undefined
    this.#tools = this.#connect(undefined)
    this.#python.process.unref()
    return end
  }

  /** Sets the receiver of reports on checkpoints. */
  listen(listener: CheckpointListener): void {
    this.#listener = listener
  }

  /**
   * Sends an order between cells, and returns the answer, which has the same letter. `undefined` if the session is lost. Does not keep
   * this process running.
   */
  async order(kind: 'y' | 'g' | 'r' | 'q' | 'k', body: object | 0 = {}): Promise<string | undefined> {
    // Python has ended since the last cell, so it cannot list its variables.
    if (this.#isLost || this.#isGivenUp || (kind === 'q' && this.#loss !== undefined)) return undefined
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#answers.set(kind, resolve)
    if (kind === 'g') this.#copies++
    this.#stream.send(kind, JSON.stringify(body))
    const answer = await raceGrace(promise, kind === 'k' ? pingMs : sessionAnswerMs)
    this.#answers.delete(kind)
    if (answer !== 'late') return answer
    this.#isSilent = true
    this.#lose()
    return undefined
  }

  /** Ends a session that does not answer, such as one whose connection was forgotten while no cell ran. */
  async ping(): Promise<void> {
    // An interrupt without a cell does nothing else.
    await this.order('k', 0)
  }

  /** Lets the keeper drop a checkpoint. */
  drop(number: number): void {
    if (!this.#isLost) this.#stream.send('u', JSON.stringify({ number }))
  }

  /** Keeps this process running until the work is done. */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#python.process.ref()
    try {
      return await work()
    } finally {
      this.#python.process.unref()
    }
  }

  /** Ends every wait for an answer between cells, from now on, because no cell follows. The session can still end in order. */
  giveUp(): void {
    this.#isGivenUp = true
    for (const answer of this.#answers.values()) answer(undefined)
  }

  /** The lost variables were restored. */
  forgetLoss(): void {
    this.#loss = undefined
  }

  /** Ends the session in order: exit functions run. */
  async end(): Promise<void> {
    const { process } = this.#python
    process.ref()
    if (!this.#isLost) {
      this.#stream.send('e', `${this.#start.killGraceMs}`)
      await raceGrace(process.exited, this.#start.killGraceMs + endMs)
    }
    this.#lose()
    this.#stream.end()
    void process.signal('SIGCONT')
    await raceGrace(process.exited, endMs)
    await process.kill()
  }

  #take(kind: string, body: string): void | Promise<void> {
    const cell = this.#cell
    if (kind === 'j') this.#begun.resolve(undefined)
    if (kind === 'n') this.#begun.resolve(helloProblem('u', [body]))
    if (kind === 's') this.#tools = this.#connect(cell?.io.tools)
    if (kind === 'v') return cell?.show(body)
    // A cell that ends because of an interrupt has not ended on its own.
    if (kind === 'd' && cell?.io.signal.aborted === false) cell.io.ended()
    if (kind === 'x') cell?.finish(body)
    if (kind === 'k') this.#interrupt?.confirmed()
    if (kind === 'l') this.#tellLate(body)
    if (kind === 'i') this.#ask(body)
    if (kind === 'z') this.#pythonEnded(body)
    if (kind === 'u') this.#listener?.died(Number(objectOf(body).number))
    if (kind === 'm') void this.#measured(body)
    this.#answers.get(kind)?.(body)
  }

  async #measured(body: string): Promise<void> {
    const measured = await this.#python.process.memoryUse?.().catch(() => undefined)
    this.#listener?.measured(checkpointMemory(body, measured))
  }

  #pythonEnded(body: string): void {
    this.#copies++
    const { status } = objectOf(body)
    if (this.#cell === undefined)
      this.#loss = { how: howEnded(Number(status)), data: { status: String(status) } }
    this.#cell?.died(body)
    // Nothing lists its variables any more.
    this.#answers.get('q')?.(undefined)
  }

  #tellLate(body: string): void {
    const { cell, bytes, output } = objectOf(body)
    this.#cell?.io.notice({
      code: 'late-output',
      message: `The earlier cell In[${cell}] left a thread, task or process that wrote ${bytes} bytes after the cell had ended. These bytes are not part of this block’s output. Output:\n${output}`,
      data: { cell: String(cell), bytes: String(bytes), output: String(output) },
    })
  }

  #ask(body: string): void {
    const { prompt, secret, number } = objectOf(body)
    const cell = this.#cell
    const answer = (line: string | undefined) => {
      if (this.#cell === cell) this.#stream.send('i', JSON.stringify([number, line ?? null]))
    }
    const { readLine } = cell?.io ?? {}
    // It rejects when the block is being stopped.
    if (readLine === undefined) answer(undefined)
    else readLine({ prompt: String(prompt), isSecret: secret === true }).then(answer, () => {})
  }

  /**
   * Tools of a cell. If there are none, calls of an earlier cell's threads are refused. Another copy that takes the place of the one
   * that called gets no answer: it numbers its calls in the same way.
   */
  #connect(tools: BlockTools | undefined): ToolConnection {
    const copy = this.#copies
    const served = tools ?? { ...noTools, maxMessageBytes: this.#maxMessageBytes || noTools.maxMessageBytes }
    this.#maxMessageBytes = served.maxMessageBytes
    return new ToolConnection(served, (line) => {
      if (copy !== this.#copies) return
      // The keeper always reads, so the program impersonates it.
      if (this.#stream.unread > mostUnreadAnswers * served.maxMessageBytes) this.#lose()
      else this.#stream.send('a', line)
    })
  }

  #interruptWith(signal: AbortSignal): CellInterrupt {
    return new CellInterrupt(signal, {
      killGraceMs: this.#start.killGraceMs,
      order: (graceMs) => this.#stream.send('k', `${graceMs}`),
      continue: () => void this.#python.process.signal('SIGCONT'),
      held: () => this.#stream.held,
      silent: () => {
        this.#isSilent = true
        this.#lose()
      },
    })
  }

  #lose(): void {
    this.#isLost = true
    this.#begun.resolve(helloProblem('', []))
    for (const answer of this.#answers.values()) answer(undefined)
    this.#cell?.endWith({ kind: 'lost' })
  }
}

const noTools: BlockTools = {
  maxMessageBytes: 1_048_576,
  pythonFunctions: '',
  answer: async (message) => {
    const { id } = objectOf(message ?? '')
    return JSON.stringify({ id, error: { kind: 'failed', message: 'this block was given no tools' } })
  },
}

/** @param status - an exit code, or minus a signal. */
export function howEnded(status: number): string {
  return status < 0 ? `was ended by signal ${-status}` : `ended with exit code ${status}`
}
