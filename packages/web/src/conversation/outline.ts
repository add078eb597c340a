import { createMessage, type Message } from '@fenced/agents'
import type { ApprovalRequest, CodeBlock } from '@fenced/core'
import type { ConversationEvent, LoggedEvent, TurnStatus } from '../event.ts'
import type { SavedState } from '../saved-state.ts'

type EventOf<Type extends ConversationEvent['type']> = Extract<ConversationEvent, { type: Type }>

/** How much of a document the agents read, in characters. */
const maxDocument = 16_000

/** The blocks of a run. */
export function blocksOfRun(log: Iterable<LoggedEvent>, id: string): readonly CodeBlock[] | undefined {
  let blocks: readonly CodeBlock[] | undefined
  for (const { event } of log) {
    if (event.type === 'code-start' && event.runId === id) blocks = event.blocks
    // What was edited is what ran.
    if (event.type !== 'approval-answered' || event.runId !== id) continue
    if (event.answer.decision === 'edit') blocks = event.answer.blocks
  }
  return blocks
}

/** A text whose code has not run to its end. */
export interface UnrunText {
  /** Id of the document, or of an answer that an older version wrote. */
  readonly of: string
  readonly text: string
  readonly isDocument: boolean
  readonly isCut: boolean
  /** Whether a run of it was interrupted. */
  wasInterrupted: boolean
}

/**
 * What the log says beside the state of the agents, read from its events after that state: after a kill, the next server continues
 * with it.
 */
export class Outline {
  /** What an agent remembers that has no state, because an older version wrote the events. */
  readonly history: Message[] = []
  /** What the agents have not been told. */
  readonly untold: Message[] = []
  unrun: UnrunText | undefined
  /** How the last turn ended. */
  ended: TurnStatus | undefined
  /** The answer and the run that have begun. */
  openAnswer: string | undefined
  openRun: string | undefined
  /** The question that was open when the agents were saved. */
  question: ApprovalRequest | undefined
  /** Answers by the ids of their questions. */
  readonly answers = new Map<string, EventOf<'approval-answered'>>()
  /** What came of runs and of tool calls, by their ids. */
  readonly results = new Map<string, string>()
  /** Whether a person has written something since the state. */
  hasMessage = false
  /** Where the agents continue: they have said more, and do not remember it. */
  forgottenAfter: number | undefined
  readonly #saved: SavedState | undefined
  /** Texts that are run without the agents. */
  readonly #ownTexts = new Set<string>()
  #text = ''
  #run: EventOf<'code-start'> | undefined
  #isAgentNext: boolean
  #known: number

  /** @param log - the events, beginning with the last event that the agents know. */
  constructor(log: Iterable<LoggedEvent>, saved: SavedState | undefined) {
    this.#saved = saved
    this.#isAgentNext = saved !== undefined && !saved.isDone
    this.#known = saved?.seq ?? 0
    for (const logged of log) this.#take(logged)
  }

  /** Whether the agents have something to do, after the text that has not run. */
  get isAgentNext(): boolean {
    return this.#isAgentNext
  }

  #isOld(seq: number): boolean {
    return this.#saved !== undefined && this.#saved.state === undefined && seq <= this.#saved.seq
  }

  #take({ event, seq }: LoggedEvent): void {
    switch (event.type) {
      case 'turn-end':
        this.ended = event.status
        return
      case 'message':
        this.#takeMessage(event, seq)
        return
      case 'document':
        this.#tell(seq, person(`I run the document ${event.name}:\n\n${event.content.slice(0, maxDocument)}`))
        this.unrun = {
          of: event.documentId,
          text: event.content,
          isDocument: true,
          isCut: false,
          wasInterrupted: false,
        }
        this.#ownTexts.add(event.documentId)
        this.#isAgentNext = false
        this.ended = undefined
        return
      case 'answer-start':
        this.openAnswer = event.answerId
        this.#text = ''
        if (!this.#isOld(seq)) this.forgottenAfter ??= this.#known
        return
      case 'text-delta':
        this.#text += event.text
        return
      case 'answer-end':
        this.#endAnswer(event, seq)
        return
      case 'tool-start':
        this.forgottenAfter ??= this.#known
        return
      case 'tool-end':
        this.results.set(event.callId, event.content)
        return
      case 'code-start':
        this.#run = event
        this.openRun = event.runId
        return
      case 'code-end':
        this.#endRun(event, seq)
        return
      case 'undo':
        this.#tell(
          seq,
          createMessage({ role: 'user', source: 'executor', origin: 'program', content: event.content }),
        )
        return
      case 'approval-requested':
        if (seq === this.#saved?.seq) this.question = event.request
        return
      case 'approval-answered':
        this.answers.set(event.requestId, event)
        return
    }
  }

  #takeMessage({ content }: EventOf<'message'>, seq: number): void {
    // It may be about an answer that was stopped.
    if (this.#text !== '')
      this.#tell(seq, person(`[You began to answer, and were stopped:]\n\n${this.#text}`))
    this.#text = ''
    this.#tell(seq, person(content))
    this.unrun = undefined
    this.#isAgentNext = true
    this.hasMessage = true
    this.ended = undefined
    this.forgottenAfter = undefined
    this.#known = seq
  }

  #endAnswer({ answerId, complete, isCut, text = this.#text }: EventOf<'answer-end'>, seq: number): void {
    this.openAnswer = undefined
    if (!complete) return
    this.#text = ''
    if (!this.#isOld(seq)) return
    this.history.push(
      createMessage({ role: 'assistant', source: 'assistant', origin: 'model', content: text }),
    )
    this.unrun = { of: answerId, text, isDocument: false, isCut: isCut === true, wasInterrupted: false }
    this.#ownTexts.add(answerId)
    this.#isAgentNext = false
  }

  #endRun({ runId, result: { status }, content }: EventOf<'code-end'>, seq: number): void {
    const { of = '', repeats } = this.#run ?? {}
    this.openRun = undefined
    // The question is repeated, and so is the run.
    if (status === 'interrupted' && this.unrun?.of === of) this.unrun.wasInterrupted = true
    if (status === 'interrupted') return
    this.results.set(runId, content)
    if (repeats === undefined && !this.#ownTexts.has(of)) return
    this.#tell(seq, createMessage({ role: 'user', source: 'executor', origin: 'program', content }))
    if (repeats !== undefined || this.unrun?.of !== of) return
    this.#isAgentNext = !this.unrun.isDocument
    this.unrun = undefined
  }

  #tell(seq: number, message: Message): void {
    if (this.#isOld(seq)) this.history.push(message)
    else this.untold.push(message)
  }
}

function person(content: string): Message {
  return createMessage({ role: 'user', source: 'user', origin: 'person', content })
}
