import { exitCodes, FencedError, type Notice, type SessionVariable } from '@fenced/core'
import type { BlockIo, BlockOutcome, DriverSession, PreparedBlock } from '@fenced/core/driver'
import { tellMemoryKills } from '@fenced/core/internal'
import { outcomeOf, type Sandbox } from '@fenced/core/sandbox'
import { tellHiddenFigures } from '../block-figures.ts'
import type { ResidentPythonTarget } from '../resident-python/resident-python.ts'
import type { CellEnd, DoneCell } from './session-cell.ts'
import { type CheckpointOptions, noCheckpoint, SessionCheckpoints } from './session-checkpoints.ts'
import {
  kept,
  keptMoved,
  keptOutdated,
  keptWithoutNetwork,
  lostBefore,
  lostWith,
  stillRunning,
} from './session-notices.ts'
import { howEnded, type SessionLoss, SessionProcess, type SessionStart } from './session-process.ts'

/** Options of {@link StatefulPython}. */
export interface StatefulPythonOptions extends Omit<SessionStart, 'target'>, CheckpointOptions {
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
  #checkpoints: SessionCheckpoints | undefined
  /** Why the variables of an ended session are lost, until a block has said so. */
  #loss: SessionLoss | undefined
  /** Why an earlier session, with its checkpoints, has ended, until a block has said so. */
  #lostSession: SessionLoss | undefined
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
      // Its connection may have been forgotten meanwhile. A session that does not answer is lost.
      if (isRemote(target.sandbox) && (await process.isOutdated())) await process.ping()
      this.#loss ??= (await process.loss()) ?? this.#lossOfDirectory(target)
      if (process.isAlive && !this.#hasLostDirectory(target)) return
      await this.#endProcess()
      this.#lostSession = this.#loss
      this.#loss = undefined
    }
    this.#directory = this.#options.directoryIdentity()
    this.#process = await SessionProcess.start({ ...this.#options, target }, signal).catch(unsupported)
    this.#checkpoints = new SessionCheckpoints(
      this.#process,
      this.#options,
      target.sandbox.limitsInForce?.memoryBytes,
    )
    await this.#checkpoints.begin()
    this.#isOutdatedTold = false
  }

  /** Identifies the session and its current state. `undefined` before it starts. */
  get state(): DriverSession['state'] {
    return this.#checkpoints?.state
  }

  /** Whether blocks in other languages need a session too, because it keeps the files. */
  get keepsFiles(): boolean {
    return this.#options.checkpoints > 0
  }

  /** Prepares a block in any language: no checkpoint is made while it runs. */
  async beforeBlock(io: Pick<BlockIo, 'notice'>): Promise<void> {
    await this.#checkpoints?.settled()
    for (const notice of this.#checkpoints?.takeNotices() ?? []) io.notice(notice)
  }

  /** Called just before a block that is no cell begins, when its files are there. */
  async keepFiles(): Promise<void> {
    await this.#checkpoints?.keepFiles()
  }

  /** Notes a call of a tool by the block that runs. */
  called(tool: string): void {
    this.#checkpoints?.called(tool)
  }

  /** A block in any language, or a whole call, has ended. */
  rested(at: 'block' | 'call'): void {
    if (at === 'block') this.#checkpoints?.blockEnded()
    else this.#checkpoints?.callEnded()
  }

  /** @throws FencedError `NO_CHECKPOINT`. */
  async undo(steps: number): Promise<readonly Notice[]> {
    return this.#returned(this.#startedCheckpoints.undo(steps))
  }

  /** @throws FencedError `NO_CHECKPOINT`. */
  async restore(name: string): Promise<readonly Notice[]> {
    return this.#returned(this.#startedCheckpoints.restore(name))
  }

  /** @throws FencedError `NO_CHECKPOINT`. */
  async checkpoint(name: string): Promise<void> {
    await this.#startedCheckpoints.name(name)
  }

  async variables(): Promise<readonly SessionVariable[]> {
    return (await this.#checkpoints?.variables()) ?? []
  }

  /** Runs a block as a cell. */
  async run(block: PreparedBlock, target: ResidentPythonTarget, io: BlockIo): Promise<BlockOutcome> {
    await this.prepare(target, io.signal)
    const process = this.#process as SessionProcess
    const running = { io, process, sandbox: target.sandbox }
    if (this.#loss !== undefined) await this.keepFiles()
    await this.#tellLoss(io)
    await this.#tellOutdated(running)
    const killsBefore = (await process.outOfMemoryKills()) ?? 0
    const end = await process.run(block, io, this.#checkpoints?.keptNumber)
    const memoryKills = ((await process.outOfMemoryKills()) ?? 0) - killsBefore
    if (end.kind === 'done') tellHiddenFigures(end.backend, block, io)
    return end.kind === 'done' ? done(end, memoryKills, running) : this.#ended(end, memoryKills, running)
  }

  /** Ends work that only later blocks need, such as restoring the variables of a Python that was killed. */
  giveUp(): void {
    this.#process?.giveUp()
  }

  /** Ends the session. */
  async end(): Promise<void> {
    this.#lostSession = this.#loss = undefined
    await this.#endProcess()
  }

  async #endProcess(): Promise<void> {
    const process = this.#process
    this.#process = undefined
    this.#checkpoints = undefined
    await process?.end()
  }

  get #startedCheckpoints(): SessionCheckpoints {
    if (this.#checkpoints !== undefined && this.keepsFiles) return this.#checkpoints
    const reason = this.keepsFiles ? 'no block has run yet' : 'the option `checkpoints` is 0'
    throw noCheckpoint(reason)
  }

  async #returned(going: Promise<readonly Notice[]>): Promise<readonly Notice[]> {
    const notices = await going
    this.#loss = undefined
    return notices
  }

  /** Python ended after the last block: its last checkpoint takes its place, or the block finds no variables. */
  async #tellLoss(io: BlockIo): Promise<void> {
    if (this.#lostSession !== undefined) io.notice(lostBefore(this.#lostSession))
    const loss = this.#loss
    this.#lostSession = this.#loss = undefined
    if (loss === undefined) return
    const restored = await this.#checkpoints?.recover(`${loss.how} after the last block`)
    for (const notice of restored ?? [lostBefore(loss)]) io.notice(notice)
    await this.#checkpoints?.settled()
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
    const restored = process.isAlive ? await this.#checkpoints?.recover(loss.how) : undefined
    if (!process.isAlive) await this.#endProcess()
    for (const notice of restored ?? [lostWith(loss)]) io.notice(notice)
    if (!io.signal.aborted && (memoryKills > 0 || (end.kind === 'ended' && end.outOfMemory)))
      return outcomeOf({ ...outOfMemory, exitCode: exitCodes.killed }, io)
    if (end.kind === 'lost') return { status: 'died' }
    return { exitCode: status < 0 ? 128 - status : status, tookContent: true }
  }

  /** The settings of this process, or the network of the sandbox, have changed since the session started. */
  async #tellOutdated({ io, process, sandbox }: RunningBlock): Promise<void> {
    if (this.#isOutdatedTold || isRemote(sandbox) || !(await process.isOutdated())) return
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

/** Whether a process in the sandbox is reached over a connection. */
function isRemote({ capabilities }: Sandbox): boolean {
  return capabilities.isolation !== 'none' && capabilities.isolation !== 'bubblewrap'
}

const outOfMemory = { kind: 'exited', outOfMemory: true, wasStopped: false } as const

function done(end: DoneCell, memoryKills: number, { io, sandbox }: RunningBlock): BlockOutcome {
  const { exitCode, error, usage, running, hadMemoryKill, hasMoved, hasLostNetwork } = end
  tellMemoryKills({ memoryKills: Math.max(memoryKills, hadMemoryKill ? 1 : 0) }, io, sandbox)
  if (hasLostNetwork) io.notice(keptWithoutNetwork)
  if (hasMoved) io.notice(keptMoved(sandbox.directory))
  if (running.length > 0) io.notice(stillRunning(running))
  if (io.signal.aborted) io.notice(kept)
  return { exitCode, error, usage, tookContent: true }
}

function unsupported(error: unknown): never {
  if (!FencedError.isInstance(error) || error.code !== 'RESIDENT_PYTHON_UNSUPPORTED') throw error
  throw noSession(error.message)
}

/** @param reason - a sentence. */
export function noSession(reason: string): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `\`stateful: true\` cannot be used here: ${reason} Use CPython 3.9 to 3.14 with the global interpreter lock on Linux, or an executor with a Jupyter kernel.`,
    data: { option: 'stateful', reason },
  })
}
