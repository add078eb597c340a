import type { CodeBlock } from '@fenced/core'
import type { ConversationEvent, LoggedEvent, TurnStatus } from '../event.ts'
import { defaultPromptCharacters, type PromptMessage, PromptWindow } from './prompt-window.ts'

/** The state of a conversation, read from its log. */
export interface Progress {
  /** What the model reads. */
  readonly messages: readonly PromptMessage[]
  /** What comes next; `undefined` where a person does. */
  readonly next: NextStep | undefined
  /** How the last turn ended. */
  readonly ended: TurnStatus | undefined
  /** The answer that has begun, and the run. */
  readonly open: { readonly answer: string | undefined; readonly run: string | undefined }
}

export type NextStep =
  | { readonly type: 'answer' }
  /** The code of a text is run, if it has any. */
  | {
      readonly type: 'run'
      readonly of: string
      readonly text: string
      readonly document?: string
      /** Whether the text was cut off at the limit of tokens of its model. */
      readonly isCut?: true
    }

/** How much of a document the model reads, in characters. */
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

/**
 * Reads a log from its beginning: after a kill the next server continues where the log ends. Then it is given what was added
 * since.
 */
export class ProgressReader {
  readonly #window: PromptWindow
  /** The position in the log behind which it has not read. */
  position = 0
  #next: NextStep | undefined
  #answer: { readonly id: string; text: string; isOpen: boolean } | undefined
  #run: { readonly id: string; readonly start: number } | undefined
  #isRepeated = false
  #ended: TurnStatus | undefined

  constructor({
    maxPromptCharacters = defaultPromptCharacters,
  }: { maxPromptCharacters?: number | undefined } = {}) {
    this.#window = new PromptWindow(maxPromptCharacters)
  }

  /** Reads the events after its position. */
  read(log: Iterable<LoggedEvent>): this {
    for (const logged of log) {
      this.#take(logged)
      this.position = logged.seq
    }
    return this
  }

  get progress(): Progress {
    const answer = this.#answer?.isOpen ? this.#answer.id : undefined
    const open = { answer, run: this.#run?.id }
    return { messages: this.#window.messages, next: this.#next, ended: this.#ended, open }
  }

  #take({ event, seq }: LoggedEvent): void {
    switch (event.type) {
      case 'turn-end':
        this.#ended = event.status
        return
      case 'message':
        // It may be about an answer that was stopped.
        if (this.#answer !== undefined && this.#answer.text !== '') this.#say('assistant', this.#answer.text)
        this.#answer = undefined
        this.#say('user', event.content)
        this.#next = { type: 'answer' }
        return
      case 'document':
        this.#say('user', `I run the document ${event.name}:\n\n${event.content.slice(0, maxDocument)}`)
        this.#next = { type: 'run', of: event.documentId, text: event.content, document: event.name }
        return
      case 'answer-start':
        this.#answer = { id: event.answerId, text: '', isOpen: true }
        return
      case 'text-delta':
        if (this.#answer !== undefined) this.#answer.text += event.text
        return
      case 'answer-end':
        this.#endAnswer(event)
        return
      case 'code-start':
        this.#run = { id: event.runId, start: seq }
        this.#isRepeated = event.repeats !== undefined
        return
      case 'code-end':
        this.#endRun(event, seq)
        return
    }
  }

  #endAnswer({ answerId, complete, isCut }: Extract<ConversationEvent, { type: 'answer-end' }>): void {
    if (this.#answer === undefined) return
    this.#answer.isOpen = false
    if (!complete) return
    const { text } = this.#answer
    this.#answer = undefined
    this.#say('assistant', text)
    this.#next = { type: 'run', of: answerId, text, ...(isCut === undefined ? {} : { isCut }) }
  }

  #endRun(
    { result: { status }, content }: Extract<ConversationEvent, { type: 'code-end' }>,
    end: number,
  ): void {
    const { start = end } = this.#run ?? {}
    this.#run = undefined
    // The question is repeated, and so is the run.
    if (status === 'interrupted') return
    this.#window.add({ role: 'user', content, run: [start, end] })
    const isOfDocument = this.#next?.type === 'run' && this.#next.document !== undefined
    if (!this.#isRepeated) this.#next = isOfDocument ? undefined : { type: 'answer' }
  }

  #say(role: 'user' | 'assistant', content: string): void {
    this.#window.add({ role, content })
  }
}
