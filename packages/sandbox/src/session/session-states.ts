import { randomUUID } from 'node:crypto'
import type { CopyLacks, MadeCheckpoint } from './checkpoint-reports.ts'

/** The state of a session after a block. */
export interface SessionState {
  /** Identifies the state in this session. No later state has the same number. */
  readonly number: number
  /** Number of blocks before it, counted from the start of the session. */
  readonly block: number
  /** Names of the tools that the block called, in order. */
  readonly tools: readonly string[]
  readonly name: string | undefined
  readonly lacks: CopyLacks
  /** Whether the keeper has a checkpoint of it. */
  readonly isKept: boolean
  /** Why not. */
  readonly problem: string | undefined
}

/** Maximum number of states that are remembered. States with a checkpoint are never forgotten: there are fewer of them. */
const maxStates = 2_000

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** The states of a session, the oldest first. The last one is the current state. */
export class SessionStates {
  /** Identifies the session. */
  readonly id = randomUUID()
  /** Memory of the running Python when it was last measured, in bytes. */
  resident = 0
  readonly #states: Writable<SessionState>[] = []
  /** Those with a checkpoint, the oldest first. There are few of them. */
  readonly #kept = new Set<SessionState>()
  #count = 0

  constructor() {
    this.#add(0, [])
  }

  get current(): SessionState {
    return this.#states.at(-1) as SessionState
  }

  /** The newest state with a checkpoint. */
  get newestKept(): SessionState | undefined {
    return [...this.#kept].at(-1)
  }

  /** Earlier states with a checkpoint and without a name. */
  get droppable(): readonly SessionState[] {
    const { current } = this
    return [...this.#kept].filter((state) => state !== current && state.name === undefined)
  }

  /** States with a name and a checkpoint. */
  get namedOnes(): readonly SessionState[] {
    return [...this.#kept].filter(({ name }) => name !== undefined)
  }

  /** Adds the state after a block. */
  advance(tools: readonly string[]): void {
    this.#add(this.current.block + 1, tools)
  }

  /** The state before the last blocks. */
  before(steps: number): SessionState | undefined {
    const block = this.current.block - steps
    return this.#states.find((state) => state.block === block)
  }

  named(name: string): SessionState | undefined {
    return this.#states.find((state) => state.name === name)
  }

  byNumber(number: number): SessionState | undefined {
    return this.#states.find((state) => state.number === number)
  }

  /** Tools that blocks after this state have called. */
  toolsSince({ block }: SessionState): readonly string[] {
    return this.#states.filter((state) => state.block > block).flatMap(({ tools }) => tools)
  }

  /** Makes an earlier state the current one. */
  returnTo(state: SessionState): void {
    for (const later of this.#states.splice(this.#states.indexOf(state) + 1)) this.#kept.delete(later)
  }

  name(state: SessionState, name: string): void {
    for (const each of this.#states) if (each.name === name) each.name = undefined
    Object.assign(state, { name })
  }

  keep(state: SessionState, { lacks }: MadeCheckpoint): void {
    Object.assign(state, { isKept: true, lacks, problem: undefined })
    this.#kept.add(state)
  }

  /** A fork of its checkpoint continues. The checkpoint has given up what a copy lacks, so another return to it loses nothing more. */
  continued(state: SessionState): void {
    const { memory, deleted } = state.lacks
    Object.assign(state, { lacks: { ...(memory && { memory }), ...(deleted && { deleted }) } })
  }

  /** Its checkpoint is not there. */
  forget(state: SessionState, problem: string): void {
    Object.assign(state, { isKept: false, problem })
    this.#kept.delete(state)
  }

  #add(block: number, tools: readonly string[]): void {
    const rest = { name: undefined, lacks: {}, isKept: false, problem: undefined }
    this.#states.push({ number: this.#count++, block, tools, ...rest })
    if (this.#states.length <= maxStates) return
    const oldest = this.#states.findIndex(({ isKept }) => !isKept)
    this.#states.splice(oldest, 1)
  }
}
