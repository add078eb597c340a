import { exitCodes, FencedError } from '@fenced/core'
import type { BlockIo, BlockOutcome, PreparedBlock } from '@fenced/core/driver'
import { tellMemoryKills } from '@fenced/core/internal'
import { outcomeOf, type Sandbox } from '@fenced/core/sandbox'
import type { ResidentPythonTarget } from '../resident-python/resident-python.ts'
import type { CellEnd, DoneCell } from './session-cell.ts'
import { kept, keptMoved, keptOutdated, lostBefore, lostWith, stillRunning } from './session-notices.ts'
import { howEnded, type SessionLoss, SessionProcess, type SessionStart } from './session-process.ts'

/** Options of {@link StatefulPython}. */
export interface StatefulPythonOptions extends Omit<SessionStart, 'target'> {
  /** Identity of the working directory on this machine. A later directory with the same path has another identity. */
  readonly directoryIdentity: () => string | undefined
}

/** A block that runs, or has run, as a cell. */
interface RunningBlock {
  readonly io: BlockIo
  readonly sandbox: Sandbox
  readonly process: SessionProcess
}

/**
 * The session of an executor. It starts when a Python block needs it. When its variables are lost, the block that finds out says so, and
 * runs in a new, empty session.
 */
export class StatefulPython {
  readonly #options: StatefulPythonOptions
  #process: SessionProcess | undefined
  /** Why the variables of an ended session are lost, until a block has said so. */
  #loss: SessionLoss | undefined
  #isOutdatedTold = false
  #directory: string | undefined

  constructor(options: StatefulPythonOptions) {
    this.#options = options
  }

  /** Whether a session is running. */
  get isAlive(): boolean {
    return this.#process?.isAlive === true
  }

  /**
   * Starts a session, unless one is running.
   *
   * @throws FencedError `PRELOAD_FAILED`, `INVALID_OPTIONS` where no Python can be resident; the reason of the signal.
   */
  async prepare(target: ResidentPythonTarget, signal: AbortSignal): Promise<void> {
    const process = this.#process
    if (process !== undefined) {
      this.#loss ??= (await process.loss()) ?? this.#lossOfDirectory(target)
      if (process.isAlive && !this.#hasLostDirectory(target)) return
      await this.#endProcess()
    }
    this.#directory = this.#options.directoryIdentity()
    this.#process = await SessionProcess.start({ ...this.#options, target }, signal).catch(unsupported)
    this.#isOutdatedTold = false
  }

  /** Runs a block as a cell. */
  async run(block: PreparedBlock, target: ResidentPythonTarget, io: BlockIo): Promise<BlockOutcome> {
    await this.prepare(target, io.signal)
    const process = this.#process as SessionProcess
    const running = { io, process, sandbox: target.sandbox }
    if (this.#loss !== undefined) io.notice(lostBefore(this.#loss))
    this.#loss = undefined
    await this.#tellOutdated(running)
    const killsBefore = (await process.outOfMemoryKills()) ?? 0
    const end = await process.run(block, io)
    const memoryKills = ((await process.outOfMemoryKills()) ?? 0) - killsBefore
    return end.kind === 'done' ? done(end, memoryKills, running) : this.#ended(end, memoryKills, running)
  }

  /** Ends the session. */
  async end(): Promise<void> {
    this.#loss = undefined
    await this.#endProcess()
  }

  async #endProcess(): Promise<void> {
    const process = this.#process
    this.#process = undefined
    await process?.end()
  }

  async #ended(
    end: Exclude<CellEnd, DoneCell>,
    memoryKills: number,
    { io, process }: RunningBlock,
  ): Promise<BlockOutcome> {
    const { status } = end.kind === 'ended' ? end : { status: 0 }
    const loss =
      end.kind === 'ended'
        ? { how: howEnded(status), data: { status: String(status) } }
        : ((await process.loss()) ?? { how: 'ended', data: {} })
    if (!process.isAlive) await this.#endProcess()
    io.notice(lostWith(loss))
    if (!io.signal.aborted && (memoryKills > 0 || (end.kind === 'ended' && end.outOfMemory)))
      return outcomeOf({ ...outOfMemory, exitCode: exitCodes.killed }, io)
    if (end.kind === 'lost') return { status: 'died' }
    return { exitCode: status < 0 ? 128 - status : status, tookContent: true }
  }

  /** The settings of this process, or the network of the sandbox, have changed since the session started. */
  async #tellOutdated({ io, process }: RunningBlock): Promise<void> {
    if (this.#isOutdatedTold || !(await process.isOutdated())) return
    this.#isOutdatedTold = true
    io.notice(keptOutdated)
  }

  /** A session in bubblewrap keeps the directory that was mounted at its start. */
  #hasLostDirectory({ sandbox }: ResidentPythonTarget): boolean {
    const isMounted = sandbox.capabilities.isolation === 'bubblewrap'
    return isMounted && this.#options.directoryIdentity() !== this.#directory
  }

  #lossOfDirectory(target: ResidentPythonTarget): SessionLoss | undefined {
    if (!this.#hasLostDirectory(target)) return undefined
    const { directory } = target.sandbox
    return {
      how: `was ended because the working directory ${directory} was removed`,
      data: { path: directory },
    }
  }
}

const outOfMemory = { kind: 'exited', outOfMemory: true, wasStopped: false } as const

function done(end: DoneCell, memoryKills: number, { io, sandbox }: RunningBlock): BlockOutcome {
  const { exitCode, error, usage, running, hadMemoryKill, hasMoved } = end
  tellMemoryKills({ memoryKills: Math.max(memoryKills, hadMemoryKill ? 1 : 0) }, io, sandbox)
  if (hasMoved) io.notice(keptMoved(sandbox.directory))
  if (running.length > 0) io.notice(stillRunning(running))
  if (io.signal.aborted) io.notice(kept)
  return { exitCode, error, usage, tookContent: true }
}

function unsupported(error: unknown): never {
  if (!FencedError.isInstance(error) || error.code !== 'RESIDENT_PYTHON_UNSUPPORTED') throw error
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: `\`stateful: true\` needs a Python that can be forked, and this one cannot: ${error.message} Use CPython 3.9 to 3.14 on Linux, or an executor with a Jupyter kernel.`,
    data: { ...error.data, option: 'stateful' },
    cause: error,
  })
}
