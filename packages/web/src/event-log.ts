import { EventEmitter } from 'node:events'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { FencedError } from '@fenced/core'
import { errorMessage } from '@fenced/errors'
import type { ConversationEvent, ConversationSummary, LoggedEvent } from './event.ts'
import { openDatabase } from './open-database.ts'
import { type SavedState, savedState } from './saved-state.ts'
import { type FoundConversation, searchConversations } from './search.ts'
import { SqliteLedgerStore } from './sqlite-ledger-store.ts'
import { statements } from './statements.ts'
import { transaction } from './transaction.ts'
import { UnsavedEnds } from './unsaved-ends.ts'
import { WaitingQuestions } from './waiting-questions.ts'

/** A bound for what one read of the log brings into memory, in characters. */
const maxRead = 512 * 1024

/**
 * The conversations of a directory, in a database. Events are only added. What is added is there after a kill of this
 * process (write-ahead log of SQLite); a loss of power may take the last of it.
 */
export class EventLog {
  readonly #database: DatabaseSync
  readonly #statements: Readonly<Record<StatementName, StatementSync>>
  readonly #directory: string
  readonly #unsaved = new UnsavedEnds()
  readonly #waiting = new WaitingQuestions()
  readonly #changes = new EventEmitter().setMaxListeners(0)
  /** Decisions about programs and tool calls. */
  readonly decisions: SqliteLedgerStore

  /** @throws FencedError `CONVERSATIONS_OF_ANOTHER_VERSION`, `CONVERSATIONS_DAMAGED`. */
  constructor(directory: string) {
    this.#directory = directory
    this.#database = openDatabase(directory)
    this.#statements = Object.fromEntries(
      Object.entries(statements).map(([name, sql]) => [name, this.#database.prepare(sql)]),
    ) as Record<StatementName, StatementSync>
    this.decisions = new SqliteLedgerStore(this.#database)
  }

  /** @throws FencedError `CONVERSATION_NOT_SAVED`, as every method that writes. */
  create(conversation: Pick<ConversationSummary, 'id' | 'title' | 'executor' | 'model' | 'packages'>): void {
    const { id, title, executor, model, packages } = conversation
    const now = Date.now()
    this.#writing(() =>
      this.#statements.create.run(id, title, executor, model, JSON.stringify(packages), now, now),
    )
    this.#changes.emit('list')
  }

  /** The latest first. */
  list(): ConversationSummary[] {
    return this.#statements.list.all().map((row) => this.#summaryOf(row))
  }

  find(id: string): ConversationSummary | undefined {
    const row = this.#statements.find.get(id)
    return row === undefined ? undefined : this.#summaryOf(row)
  }

  /** Conversations that contain a text, the latest first. */
  search(text: string): FoundConversation[] {
    return searchConversations(this.#database, text)
  }

  rename(id: string, title: string): void {
    this.#writing(() => this.#statements.rename.run(title, id))
    this.#changes.emit('list')
  }

  delete(id: string): void {
    this.#writing(() => this.#statements.delete.run(id))
    this.#unsaved.delete(id)
    this.#waiting.delete(id)
    this.#changes.emit('list')
    this.#changes.emit(id)
  }

  /**
   * Adds events: all of them, or none. The end of an answer, a run or a turn that cannot be written is kept in memory, and is written
   * with the next event.
   */
  append(id: string, ...events: readonly ConversationEvent[]): void {
    const createdAt = new Date().toISOString()
    const [event, ...others] = events
    try {
      this.#saveEnds(id)
      const isThere = transaction(this.#database, () => this.#insert(id, createdAt, events))
      if (!isThere) return
    } catch (cause) {
      if (event === undefined || others.length > 0 || !UnsavedEnds.isEnd(event)) throw this.#notSaved(cause)
      this.#unsaved.add(id, { seq: this.lastPosition(id) + 1, createdAt, event })
    }
    this.#changed(id, events)
  }

  /** Adds events and the state of the agents after them: all of it or, if that fails, only the events that can be added. */
  appendStep(
    id: string,
    events: readonly ConversationEvent[],
    { state, isDone }: Omit<SavedState, 'seq'>,
  ): void {
    const createdAt = new Date().toISOString()
    try {
      this.#saveEnds(id)
      transaction(this.#database, () => {
        this.#insert(id, createdAt, events)
        this.#statements.dropStates.run(id)
        this.#statements.saveState.run(id, isDone ? 1 : 0, state === undefined ? '' : JSON.stringify(state))
      })
    } catch (cause) {
      for (const event of events) this.append(id, event)
      throw this.#notSaved(cause)
    }
    this.#changed(id, events)
  }

  /** The last state of the agents up to a position, by default of all. Events of an older version are the state at each position. */
  state(id: string, position = Number.MAX_SAFE_INTEGER): SavedState | undefined {
    return savedState(this.#statements.readState.get(id, position))
  }

  /** A page of events after a position in the log, in order; none at its end. */
  read(id: string, after = 0): LoggedEvent[] {
    return this.#read('read', id, after)
  }

  /** All events after a position, without loading them together; those `within` runs are the largest part. */
  *all(
    id: string,
    { within = true, after: start = 0 }: { readonly within?: boolean; readonly after?: number } = {},
  ): Generator<LoggedEvent> {
    let after = start
    for (;;) {
      const events = this.#read(within ? 'read' : 'readOutline', id, after)
      yield* events
      const last = events.at(-1)
      if (last === undefined) return
      after = last.seq
    }
  }

  /** Calls back after every change of a conversation, or of the list. Returns what ends that. */
  onChange(of: string | 'list', callback: () => void): () => void {
    this.#changes.on(of, callback)
    return () => this.#changes.off(of, callback)
  }

  close(): void {
    for (const id of this.#unsaved.conversations) {
      try {
        this.#saveEnds(id)
      } catch {
        // The next server ends what the log has no end of.
      }
    }
    this.#database.close()
  }

  #saveEnds(id: string): void {
    for (const { createdAt, event } of this.#unsaved.of(id)) {
      transaction(this.#database, () => this.#insert(id, createdAt, [event]))
      this.#unsaved.removeFirst(id)
    }
  }

  /** Returns whether the conversation exists. */
  #insert(id: string, createdAt: string, events: readonly ConversationEvent[]): boolean {
    for (const event of events) {
      const { changes } = this.#statements.append.run(id, createdAt, event.type, JSON.stringify(event))
      if (changes === 0) return false
      if (isOfTurn(event)) this.#statements.working.run(event.type === 'turn-start' ? 1 : 0, Date.now(), id)
    }
    return true
  }

  #changed(id: string, events: readonly ConversationEvent[]): void {
    for (const event of events)
      if (this.#waiting.take(id, event) || isOfTurn(event)) this.#changes.emit('list')
    this.#changes.emit(id)
  }

  /** The position of the last event. */
  lastPosition(id: string): number {
    const last = this.#unsaved.of(id).at(-1)?.seq ?? this.#statements.last.get(id)?.seq
    return Number(last ?? 0)
  }

  #writing(write: () => void): void {
    try {
      write()
    } catch (cause) {
      throw this.#notSaved(cause)
    }
  }

  #notSaved(cause: unknown): FencedError {
    const reason = errorMessage(cause)
    return new FencedError({
      code: 'CONVERSATION_NOT_SAVED',
      message: `The conversation could not be saved in ${this.#directory}: ${reason}. Free space there or check its permissions, then continue.`,
      data: { path: this.#directory, reason },
      cause,
    })
  }

  #summaryOf({ isWorking, packages, ...row }: Record<string, unknown>): ConversationSummary {
    return {
      ...row,
      packages: JSON.parse(String(packages)),
      questions: this.#waiting.count(String(row.id)),
      isWorking: isWorking === 1 && !this.#unsaved.hasTurnEnd(String(row.id)),
    } as ConversationSummary
  }

  #read(statement: 'read' | 'readOutline', id: string, after: number): LoggedEvent[] {
    const events: LoggedEvent[] = []
    let length = 0
    for (const row of this.#statements[statement].iterate(id, after)) {
      const { seq, createdAt, event } = row as { seq: number; createdAt: string; event: string }
      events.push({ seq, createdAt, event: JSON.parse(event) })
      length += event.length
      if (length > maxRead) return events
    }
    return [...events, ...this.#unsaved.of(id).filter(({ seq }) => seq > after)]
  }
}

type StatementName = keyof typeof statements

function isOfTurn({ type }: ConversationEvent): boolean {
  return type === 'turn-start' || type === 'turn-end'
}
