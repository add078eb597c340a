import { randomUUID } from 'node:crypto'
import { extractCodeBlocks, type Notice } from '@fenced/core'
import type { ConversationEvent, LoggedEvent } from '../event.ts'
import type { EventLog } from '../event-log.ts'
import { Problem } from '../problem.ts'
import { wasAllowedBefore } from './allowed-before.ts'
import { answerBlocks } from './answer-blocks.ts'
import { answerText } from './answer-text.ts'
import { documentText } from './document-blocks.ts'
import { modelPrompt } from './model-prompt.ts'
import { type ParticipantOptions, Participants } from './participants.ts'
import { blocksOfRun, type NextStep, type Progress, ProgressReader } from './progress.ts'
import type { PromptMessage } from './prompt-window.ts'
import { Runs } from './runs.ts'
import { TextPieces } from './text-pieces.ts'
import { failedEnd, type TurnEnd } from './turn-end.ts'

const defaultMaxAnswers = 20

/** What a conversation is made of. */
export interface ConversationParts extends ParticipantOptions {
  readonly id: string
  readonly log: EventLog
}

/** What runs in a conversation now. */
interface Turn {
  readonly controller: AbortController
  readonly ended: Promise<void>
  /** The error of the first event that could not be written. */
  failure?: unknown
}

/**
 * A person, a model and an executor that runs its code. Everything that happens is an event of the log, and what comes next is
 * read from there.
 */
export class Conversation {
  readonly #parts: ConversationParts
  /** Models and executors of a conversation. */
  readonly runs: Runs
  readonly #reader: ProgressReader
  readonly #participants: Participants
  #turn: Turn | undefined

  constructor(parts: ConversationParts) {
    this.#parts = parts
    const { options, model } = parts
    this.#reader = new ProgressReader({ maxPromptCharacters: model?.maxPromptCharacters })
    this.#participants = new Participants(parts, (notice) => this.#note(notice))
    this.runs = new Runs({ options, append: (event) => this.#append(event), log: this.#outline })
  }

  get isWorking(): boolean {
    return this.#turn !== undefined
  }

  /** A person says something, and the model answers. @throws {@link Problem} while it works. */
  send(text: string): void {
    this.#requireModel()
    this.#begin(() => this.#append({ type: 'message', messageId: randomUUID(), content: text }))
  }

  /** Runs the code of a document. @throws {@link Problem} */
  runDocument(name: string, content: string): void {
    const text = documentText(name, content)
    if (extractCodeBlocks(text).every(({ language }) => language === ''))
      throw new Problem(422, `${name} has no code: nothing was run.`)
    this.#begin(() => this.#append({ type: 'document', documentId: randomUUID(), name, content: text }))
  }

  /** Continues where the log ends: after a failure, a stop, or the end of the server. @throws {@link Problem} */
  resume(): void {
    const { next, ended } = this.#progress
    // An answer without code is a step that ends at once.
    if (next === undefined || (next.type === 'run' && ended === 'done'))
      throw new Problem(409, 'There is nothing to continue: write a message.')
    if (next.type === 'answer') this.#requireModel()
    this.#begin(() => {})
  }

  /**
   * Runs the programs of an earlier run again, unchanged. Needs the person's decision, unless a remembered answer applies. @throws
   * {@link Problem}
   */
  repeat(run: string): void {
    const blocks = blocksOfRun(this.#outline, run)
    if (blocks === undefined) throw new Problem(404, 'There is no such run.')
    this.#begin(
      () => {},
      async (signal) => {
        const executor = await this.#participants.startedExecutor(signal)
        const wasAllowed = wasAllowedBefore(this.#outline, { executor, blocks })
        await this.runs.run({ executor, blocks, of: run, repeats: run, wasAllowed, signal })
      },
    )
  }

  /** Ends what runs: the programs, or all of it. */
  async stop(what: 'run' | 'turn'): Promise<void> {
    const turn = this.#turn
    if (turn === undefined) return
    if (what === 'run') {
      this.runs.stop()
      return
    }
    turn.controller.abort()
    await turn.ended
  }

  /** Ends what runs, and stops the executor. */
  async close(): Promise<void> {
    await this.stop('turn')
    await this.#participants.stop()
  }

  get #outline(): Iterable<LoggedEvent> {
    return this.#parts.log.all(this.#parts.id, { within: false })
  }

  /** Only what is new in the log is read: a step late in a conversation costs no more than an early one. */
  get #progress(): Progress {
    const { id, log } = this.#parts
    return this.#reader.read(log.all(id, { within: false, after: this.#reader.position })).progress
  }

  /** Adds an event to the log. A failure ends the turn, also when the caller ignores the error. */
  #append(event: ConversationEvent): void {
    try {
      this.#parts.log.append(this.#parts.id, event)
    } catch (error) {
      if (this.#turn !== undefined) this.#turn.failure ??= error
      this.#turn?.controller.abort(error)
      throw error
    }
  }

  /** Adds a notice to the log. Never throws, because it is called from callbacks of an executor. */
  #note(notice: Notice): void {
    try {
      this.#append({ type: 'notice', notice })
    } catch {
      // The turn says why.
    }
  }

  #requireModel(): void {
    if (this.#parts.model === undefined)
      throw new Problem(
        422,
        'The model of this conversation is no longer configured. Start a new conversation.',
      )
  }

  #begin(first: () => void, work = (signal: AbortSignal) => this.#continueChat(signal)): void {
    if (this.#turn !== undefined)
      throw new Problem(409, 'The conversation is working: stop it, or wait for it.')
    first()
    this.#append({ type: 'turn-start' })
    const controller = new AbortController()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const turn: Turn = { controller, ended }
    this.#turn = turn
    void work(controller.signal)
      .then(
        () => (turn.failure === undefined ? ({ status: 'done' } as const) : failedEnd(turn, turn.failure)),
        (error: unknown) => failedEnd(turn, error),
      )
      .then((end) => this.#end(end))
      .finally(resolve)
  }

  #end(end: TurnEnd): void {
    this.#turn = undefined
    try {
      this.#append({ type: 'turn-end', ...end })
    } catch {
      // The log is closed or broken: the next server ends the turn.
    }
  }

  async #continueChat(signal: AbortSignal): Promise<void> {
    const { maxAnswers = defaultMaxAnswers } = this.#parts.options
    for (let answers = 0; ; ) {
      const { next, messages } = this.#progress
      if (next === undefined) return
      if (next.type === 'run') {
        if (!(await this.#runStep(next, signal))) return
        continue
      }
      if (answers++ === maxAnswers)
        throw new Error(`The model has answered ${maxAnswers} times in a row. Write how to continue.`)
      await this.#answer(messages, signal)
    }
  }

  async #runStep(next: Extract<NextStep, { type: 'run' }>, signal: AbortSignal): Promise<boolean> {
    const executor = await this.#participants.startedExecutor(signal)
    const { startsInReasoning } = this.#parts.model ?? {}
    const blocks =
      next.document === undefined
        ? answerBlocks({ text: next.text, isCut: next.isCut, startsInReasoning }, executor.capabilities)
        : extractCodeBlocks(next.text)
    if (blocks.length === 0) return false
    await this.runs.run({ executor, blocks, of: next.of, signal })
    return true
  }

  async #answer(messages: readonly PromptMessage[], signal: AbortSignal): Promise<void> {
    const { id: conversation, log, model: chosen } = this.#parts
    const executor = await this.#participants.startedExecutor(signal)
    const model = await this.#participants.model(executor, signal)
    const answerId = randomUUID()
    this.#append({ type: 'answer-start', answerId, model: chosen?.name ?? '' })
    const text = new TextPieces((piece) => this.#append({ type: 'text-delta', answerId, text: piece }))
    let complete = false
    let isCut = false
    try {
      const pieces = answerText({
        model,
        instructions: this.#participants.instructions(executor),
        messages: modelPrompt({ id: conversation, log, messages, pictures: chosen?.pictures }),
        signal,
        startsInReasoning: chosen?.startsInReasoning === true,
      })
      let next = await pieces.next()
      for (; next.done !== true; next = await pieces.next()) text.add(next.value)
      isCut = next.value
      text.flush()
      complete = true
    } finally {
      try {
        text.flush()
      } finally {
        this.#append({ type: 'answer-end', answerId, complete, ...(isCut ? { isCut } : {}) })
      }
    }
  }
}
