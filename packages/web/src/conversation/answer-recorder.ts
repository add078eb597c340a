import { randomUUID } from 'node:crypto'
import type { ConversationEvent } from '../event.ts'
import { TextPieces } from './text-pieces.ts'

type AnswerStart = Extract<ConversationEvent, { type: 'answer-start' }>

/** Names the speaker of an answer. */
export type SpeakerOf = (agent: string) => Pick<AnswerStart, 'model' | 'agent'>

/** An answer as the log has it. */
export interface LastAnswer {
  readonly id: string
  readonly text: string
}

interface AnswerParts {
  readonly speakerOf: SpeakerOf
  readonly append: (event: ConversationEvent) => void
  /** Keeps an end until what follows it is written. */
  readonly hold: (end: ConversationEvent) => void
}

interface Answer {
  readonly id: string
  readonly pieces: TextPieces
  /** What the log has of it. */
  text: string
  isReasoning: boolean
  /** Whether a part of it was left out later, because it had been cut off. */
  wasCut: boolean
}

interface AnswerEnd {
  /** What the agent says in the end, as it remembers it. @default what was shown */
  readonly content?: string
  /** @default true */
  readonly isComplete?: boolean
  /** @default false */
  readonly isCut?: boolean
}

/** Writes what agents say into the log, piece by piece. */
export class AnswerRecorder {
  readonly #parts: AnswerParts
  readonly #open = new Map<string, Answer>()
  #last: LastAnswer
  /** By how many lines the text of the last answer is longer than what the agent remembers. */
  #moreLines = 0
  #hasSaid = false

  /** @param last - the last answer in the log. */
  constructor(parts: AnswerParts, last: LastAnswer) {
    this.#parts = parts
    this.#last = last
  }

  /** The last answer, and by how many lines its text is longer than what the agent remembers. */
  get last(): LastAnswer & { readonly moreLines: number } {
    return { ...this.#last, moreLines: this.#moreLines }
  }

  say(agent: string, piece: string, { isReasoning = false } = {}): void {
    const answer = this.#open.get(agent) ?? this.#start(agent)
    // The page folds what is between these tags.
    const tag = isReasoning === answer.isReasoning ? '' : isReasoning ? '<think>\n' : '\n</think>\n\n'
    answer.isReasoning = isReasoning
    answer.text += tag + piece
    answer.pieces.add(tag + piece)
  }

  /** Another model answers: what the first one said does not count. */
  restart(agent: string): void {
    const answer = this.#open.get(agent)
    answer?.pieces.flush()
    if (answer !== undefined) answer.text = ''
  }

  /** The model continues the answer, perhaps without its last block. */
  cut(agent: string): void {
    const answer = this.#open.get(agent)
    if (answer !== undefined) answer.wasCut = true
  }

  end(agent: string, end: AnswerEnd = {}): void {
    const { content } = end
    const open = this.#open.get(agent)
    if (open === undefined && (content === undefined || content === '')) return
    // An agent that continues says again what it said before its question.
    const isSaidAgain = !this.#hasSaid && endsWith(this.#last.text, content ?? '')
    if (!isSaidAgain) this.#end(agent, open ?? this.#start(agent), end)
    this.#moreLines = content === undefined ? 0 : linesAbove(content, this.#last.text)
  }

  endAll(): void {
    for (const agent of [...this.#open.keys()]) this.end(agent, { isComplete: false })
  }

  #start(agent: string): Answer {
    this.#hasSaid = true
    const id = randomUUID()
    const { append, speakerOf } = this.#parts
    const pieces = new TextPieces((text) => append({ type: 'text-delta', answerId: id, text }))
    const answer = { id, pieces, text: '', isReasoning: false, wasCut: false }
    this.#open.set(agent, answer)
    append({ type: 'answer-start', answerId: id, ...speakerOf(agent) })
    return answer
  }

  #end(
    agent: string,
    { id: answerId, pieces, text: shown, wasCut }: Answer,
    { content, isComplete: complete = true, isCut = false }: AnswerEnd,
  ): void {
    this.#open.delete(agent)
    if (shown === '' && content !== undefined) pieces.add(content)
    pieces.flush()
    const isShown =
      content === undefined || shown === '' || (wasCut ? shown === content : endsWith(shown, content))
    this.#parts.hold({
      ...{ type: 'answer-end', answerId, complete },
      ...(isShown ? {} : { text: content }),
      ...(isCut ? { isCut } : {}),
    })
    this.#last = { id: answerId, text: isShown && shown !== '' ? shown : (content ?? '') }
  }
}

function endsWith(text: string, end: string): boolean {
  return text.trimEnd().endsWith(end.trimEnd())
}

/** How many lines of a text are above its end. */
function linesAbove(end: string, text: string): number {
  const at = text.trimEnd().lastIndexOf(end.trimEnd())
  return at <= 0 ? 0 : text.slice(0, at).split('\n').length - 1
}
