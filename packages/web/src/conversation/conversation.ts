import { randomUUID } from 'node:crypto'
import { extractCodeBlocks, type Notice, type SessionVariable } from '@fenced/core'
import { toldRestorations } from '@fenced/core/internal'
import type { ConversationEvent } from '../event.ts'
import { Problem } from '../problem.ts'
import { documentText } from './document-blocks.ts'
import { blocksOfRun } from './outline.ts'
import type { PageQuestions } from './questions.ts'
import { failedEnd, type TurnEnd } from './turn-end.ts'
import { type ConversationParts, type TurnParts, TurnWork } from './turn-work.ts'
import { runsSince } from './undone-runs.ts'

type EventOf<Type extends ConversationEvent['type']> = Extract<ConversationEvent, { type: Type }>

/** What runs in a conversation now. */
interface Turn {
  readonly controller: AbortController
  readonly ended: Promise<void>
  /** The error of the first event that could not be written. */
  failure?: unknown
}

/**
 * A person, an agent and an executor that runs its code. Everything that happens is an event of the log, and what comes next is
 * read from there and from the state of the agent.
 */
export class Conversation {
  readonly #parts: ConversationParts
  readonly #work: TurnWork
  #turn: Turn | undefined
  #isUndoing = false

  constructor(parts: ConversationParts) {
    this.#parts = parts
    const { id, log } = parts
    this.#work = new TurnWork(parts, {
      append: (event) => this.#append(event),
      appendStep: (events, step) => this.#writing(() => log.appendStep(id, events, step)),
      note: (notice) => this.#note(notice),
    })
  }

  get questions(): PageQuestions {
    return this.#work.questions
  }

  get isWorking(): boolean {
    return this.#turn !== undefined
  }

  /** A person says something, and the agent answers. @throws {@link Problem} while it works. */
  send(text: string): void {
    this.#requireAgent()
    this.#begin({ type: 'message', messageId: randomUUID(), content: text })
  }

  /** Runs the code of a document. @throws {@link Problem} */
  runDocument(name: string, content: string): void {
    const text = documentText(name, content)
    if (extractCodeBlocks(text).every(({ language }) => language === ''))
      throw new Problem(422, `${name} has no code: nothing was run.`)
    this.#begin({ type: 'document', documentId: randomUUID(), name, content: text })
  }

  /** Continues where the log ends: after a failure, a stop, or the end of the server. @throws {@link Problem} */
  resume(): void {
    const { ended, isAgentNext, unrun } = this.#work.read().outline
    const isNothingLeft = ended === undefined && !isAgentNext && unrun === undefined
    if (ended === 'done' || isNothingLeft)
      throw new Problem(409, 'There is nothing to continue: write a message.')
    if (isAgentNext) this.#requireAgent()
    this.#begin(undefined)
  }

  /**
   * Runs the programs of an earlier run again, unchanged. Needs the person's decision, unless a remembered answer applies. @throws
   * {@link Problem}
   */
  repeat(run: string): void {
    const blocks = blocksOfRun(this.#work.outline, run)
    if (blocks === undefined) throw new Problem(404, 'There is no such run.')
    this.#begin(undefined, (parts) => this.#work.repeat(run, { ...parts, blocks }))
  }

  /** Undoes a run and all later ones: Python variables, and files. @throws {@link Problem}; what `session.undo` rejects with. */
  async undo(run: string): Promise<void> {
    this.#requireRest()
    this.#isUndoing = true
    try {
      const executor = await this.#work.participants.knownExecutor()
      if (executor?.session === undefined) throw new Problem(409, nothingToUndo)
      const { id, log } = this.#parts
      const { runIds, steps } = runsSince(log.all(id), run, executor.capabilities.languages)
      const restored = await executor.session.undo(steps)
      // The log tells the agents, also after a restart of the server.
      toldRestorations.add(restored)
      this.#append({
        type: 'undo',
        runIds,
        content: restored.notices.map(({ message }) => message).join('\n'),
      })
    } finally {
      this.#isUndoing = false
    }
  }

  /** The Python variables of its programs; none before its first program, or if the executor keeps none. */
  async variables(): Promise<readonly SessionVariable[]> {
    const executor = await this.#work.participants.knownExecutor()
    return (await executor?.session?.variables()) ?? []
  }

  /** Revokes a remembered answer. @throws {@link Problem} */
  forget(id: string): void {
    if (!this.#work.remembered.forget(id)) throw new Problem(404, 'There is no such approval any more.')
  }

  /** Ends the turn, with its programs and questions. */
  async stop(): Promise<void> {
    this.#turn?.controller.abort()
    await this.#turn?.ended
  }

  /** Ends what runs, and stops the executor. */
  async close(): Promise<void> {
    await this.stop()
    await this.#work.participants.stop()
  }

  /** Adds events to the log: all of them, or none. A failure ends the turn, also when the caller ignores the error. */
  #append(...events: readonly ConversationEvent[]): void {
    this.#writing(() => this.#parts.log.append(this.#parts.id, ...events))
  }

  #writing(write: () => void): void {
    try {
      write()
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

  #requireAgent(): void {
    const { model, agent } = this.#parts
    if (model === undefined && agent === undefined)
      throw new Problem(
        422,
        'The model or agent of this conversation is no longer configured. Start a new conversation.',
      )
  }

  #requireRest(): void {
    if (this.#turn !== undefined || this.#isUndoing)
      throw new Problem(409, 'The conversation is working: stop it, or wait for it.')
  }

  /** @param first - why the turn begins. It is written together with the start: a server that is killed has both, or neither. */
  #begin(
    first: EventOf<'message' | 'document'> | undefined,
    work = (parts: TurnParts) => this.#work.continue(parts),
  ): void {
    this.#requireRest()
    const { forgottenAfter } = this.#work.read().outline
    // After a message, the agents do not continue.
    const after = first?.type === 'message' || forgottenAfter === undefined ? {} : { after: forgottenAfter }
    this.#append(...(first === undefined ? [] : [first]), { type: 'turn-start', ...after })
    const { saved, outline } = this.#work.read()
    const controller = new AbortController()
    const { signal } = controller
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const turn: Turn = { controller, ended }
    this.#turn = turn
    void this.#work.participants
      .startedExecutor(signal)
      .then((executor) => work({ executor, outline, saved, signal }))
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
}

const nothingToUndo =
  'Nothing can be undone: no program has run since the server started, or the executor keeps no variables.'
