import { setImmediate as nextTurn } from 'node:timers/promises'
import { FencedError, type Notice, type SessionVariable } from '@fenced/core'
import type { DriverSession } from '@fenced/core/driver'
import { checkpointMissing, needsReload, returnNotices } from './checkpoint-notices.ts'
import { type CheckpointMemory, madeCheckpoint, wentBack } from './checkpoint-reports.ts'
import { objectOf } from './session-cell.ts'
import type { SessionProcess } from './session-process.ts'
import { type SessionState, SessionStates } from './session-states.ts'

/** When checkpoints are made, and how many are kept. */
export interface CheckpointOptions {
  /** Maximum number of states without a name to return to. 0 makes no checkpoints. */
  readonly checkpoints: number
  readonly checkpoint: 'block' | 'call'
  /** Budget for their memory, in bytes. Default: see `CommandLineBlockOptions`. */
  readonly checkpointBytes?: number | undefined
}

/** Default budget for memory: a part of the sandbox's limit, or a number of bytes. */
const partOfLimit = 0.25
const defaultBytes = 2 ** 30
/** Maximum number of named checkpoints. */
const maxNamed = 20
/** Memory of a Python above which no checkpoint is made, in bytes: the copy of its page tables takes too long. */
const maxResident = 4 * 2 ** 30

/** The checkpoints of one session: it decides which are made, kept and dropped. The keeper makes them. */
export class SessionCheckpoints {
  readonly #process: SessionProcess
  readonly #options: CheckpointOptions
  readonly #budget: number
  readonly #states = new SessionStates()
  #making: Promise<void> = Promise.resolve()
  #tools: string[] = []
  /** Told with the next block. */
  #notices: Notice[] = []

  /** @param memoryLimit - of the sandbox, in bytes. */
  constructor(process: SessionProcess, options: CheckpointOptions, memoryLimit: number | undefined) {
    this.#process = process
    this.#options = options
    const ofLimit = memoryLimit === undefined ? defaultBytes : memoryLimit * partOfLimit
    this.#budget = options.checkpointBytes ?? ofLimit
    process.listen({
      died: (number) => this.#forget(number, 'the system ended it, for example for lack of memory'),
      measured: (memory) => this.#measured(memory),
    })
  }

  /** Identifies the session, and its current state. */
  get state(): NonNullable<DriverSession['state']> {
    return { session: this.#states.id, number: this.#states.current.number }
  }

  /** Makes the first checkpoint of a session, or of one that was restored. */
  begin(): Promise<void> {
    if (this.#options.checkpoints > 0) this.#making = this.#make(this.#states.current)
    return this.#making
  }

  /** Resolves when no checkpoint is being made. */
  settled(): Promise<void> {
    return this.#making
  }

  /** Number of the current state, if it has a checkpoint. */
  get keptNumber(): number | undefined {
    const { number, isKept } = this.#states.current
    return isKept ? number : undefined
  }

  /** Keeps the current files for the current state: changes between two blocks are not undone with the second one. */
  async keepFiles(): Promise<void> {
    const number = this.keptNumber
    if (number !== undefined) await this.#process.order('r', { number })
  }

  /** Notes a call of a tool by the block that runs. */
  called(tool: string): void {
    this.#tools.push(tool)
  }

  /** Takes the notices for the next block. */
  takeNotices(): readonly Notice[] {
    const notices = this.#notices
    this.#notices = []
    return notices
  }

  /** A block has ended, and its files are there. */
  blockEnded(): void {
    this.#states.advance(this.#tools)
    this.#tools = []
    if (this.#options.checkpoint === 'block') this.#keepCurrent()
  }

  /** All blocks of a call have ended. */
  callEnded(): void {
    if (this.#options.checkpoint === 'call') this.#keepCurrent()
  }

  /** @throws FencedError `NO_CHECKPOINT`. */
  async undo(steps: number): Promise<readonly Notice[]> {
    await this.#making
    const blocks = this.#states.current.block
    const state = this.#states.before(steps)
    if (steps > blocks) throw noCheckpoint(`the session has run ${blocks} blocks`)
    if (state === undefined) throw noCheckpoint('the checkpoint was dropped to make room for later ones')
    const undone =
      steps === 1 ? `Block ${blocks} was undone.` : `Blocks ${state.block + 1} to ${blocks} were undone.`
    return this.#returnTo(state, undone)
  }

  /** @throws FencedError `NO_CHECKPOINT`. */
  async restore(name: string): Promise<readonly Notice[]> {
    await this.#making
    const state = this.#states.named(name)
    if (state === undefined) throw noCheckpoint(`no checkpoint has the name ${JSON.stringify(name)}`)
    return this.#returnTo(state, `The checkpoint ${JSON.stringify(name)} was restored.`)
  }

  /** @throws FencedError `NO_CHECKPOINT`. */
  async name(name: string): Promise<void> {
    await this.#making
    if (!this.#states.current.isKept) await this.#make(this.#states.current)
    const { current } = this.#states
    if (!current.isKept) throw noCheckpoint(current.problem ?? 'it could not be made')
    if (this.#states.named(name) === undefined && this.#states.namedOnes.length >= maxNamed)
      throw noCheckpoint(`${maxNamed} checkpoints have names. Use one of these names again`)
    this.#states.name(current, name)
  }

  /** Restores the last state after Python has ended. `undefined` if there is no checkpoint. */
  async recover(how: string): Promise<readonly Notice[] | undefined> {
    await this.#making
    const state = this.#states.newestKept
    this.#tools = []
    if (state === undefined) return undefined
    return this.#goBack(state, `Python ${how}.`)
  }

  async variables(): Promise<readonly SessionVariable[]> {
    await this.#making
    const answer = await this.#process.order('q')
    return variablesIn(answer ?? '[]')
  }

  #keepCurrent(): void {
    if (this.#options.checkpoints === 0) return
    const { current } = this.#states
    // The result of the block goes out first.
    this.#making = this.#making.then(() => nextTurn()).then(() => this.#make(current))
  }

  async #make(state: SessionState): Promise<void> {
    if (this.#states.resident > maxResident) {
      return this.#missing(state, `Python uses more than ${maxResident / 2 ** 30} GiB of memory`)
    }
    const { number } = state
    const droppable = this.#states.droppable.map((each) => each.number)
    const answer = await this.#process.order('y', { number, droppable })
    if (answer === undefined) return
    const made = madeCheckpoint(answer)
    for (const each of made.dropped) this.#forget(each, 'its files were dropped to make room for later ones')
    if (made.error !== undefined) return this.#missing(state, made.error)
    this.#states.keep(state, made)
    this.#dropOldest(({ length }) => length > this.#options.checkpoints)
  }

  async #returnTo(state: SessionState, what: string): Promise<readonly Notice[]> {
    if (!state.isKept) throw noCheckpoint(state.problem ?? 'none was made after that block')
    return this.#process.during(async () => {
      const notices = await this.#goBack(state, what)
      if (notices === undefined) throw noCheckpoint('the system ended it, for example for lack of memory')
      return notices
    })
  }

  async #goBack(state: SessionState, what: string): Promise<readonly Notice[] | undefined> {
    const { number, lacks } = state
    const went = wentBack(await this.#process.order('g', { number, reload: needsReload(lacks) }))
    if (went.way === 'gone') {
      this.#states.forget(state, 'the system ended it')
      return undefined
    }
    const tools = this.#states.toolsSince(state)
    this.#states.returnTo(state)
    this.#process.forgetLoss()
    const notices = returnNotices(what, { state, went, tools })
    if (went.isKept) {
      this.#states.continued(state)
    } else {
      this.#states.forget(state, 'it is being replaced')
      void this.begin()
    }
    return notices
  }

  #missing(state: SessionState, reason: string): void {
    this.#states.forget(state, reason)
    this.#notices.push(checkpointMissing(state.block, reason))
  }

  #forget(number: number, reason: string): void {
    const state = this.#states.byNumber(number)
    if (state === undefined) return
    this.#states.forget(state, reason)
    if (state.name !== undefined) this.#notices.push(checkpointMissing(state.block, reason))
  }

  #measured({ bytes, resident, mustGiveWay }: CheckpointMemory): void {
    this.#states.resident = resident
    const reason = mustGiveWay
      ? 'the memory of the sandbox is nearly used up'
      : 'checkpoints use too much memory'
    if (!mustGiveWay && bytes <= this.#budget) return
    const { droppable } = this.#states
    const [named] = mustGiveWay ? this.#states.namedOnes : []
    // As if all had the same size: the keeper measures again afterwards.
    const part = mustGiveWay ? 0.5 : (bytes - this.#budget) / bytes
    const dropped = droppable.slice(0, Math.ceil(part * droppable.length))
    for (const state of dropped) this.#drop(state, reason)
    if (dropped.length === 0 && named !== undefined) this.#drop(named, reason)
  }

  #dropOldest(isTooMany: (droppable: readonly SessionState[]) => boolean): void {
    while (isTooMany(this.#states.droppable)) {
      const [oldest] = this.#states.droppable
      this.#drop(oldest as SessionState, 'later checkpoints have replaced it')
    }
  }

  #drop(state: SessionState, reason: string): void {
    this.#process.drop(state.number)
    this.#forget(state.number, reason)
  }
}

/** The error for a state that cannot be restored. */
export function noCheckpoint(reason: string): FencedError {
  return new FencedError({
    code: 'NO_CHECKPOINT',
    message: `There is no checkpoint to return to: ${reason}.`,
    data: { reason },
  })
}

/** The program can forge them. */
function variablesIn(body: string): readonly SessionVariable[] {
  const found = Object.values(objectOf(body)).map((each) => Object(each) as Record<string, unknown>)
  return found.map(({ name, type, sizeBytes, preview }) => ({
    name: String(name),
    type: String(type),
    ...(typeof sizeBytes === 'number' ? { sizeBytes } : {}),
    preview: String(preview),
  }))
}
