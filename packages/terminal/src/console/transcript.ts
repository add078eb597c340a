import type { AgentEvent, EventOf } from '@fenced/agents'
import { visible } from '@fenced/errors/text'
import { TerminalOutput } from '@fenced/shared'
import { EchoFilter, programOutput } from './program-output.ts'
import type { Theme } from './theme.ts'

/** What comes in pieces: words of a model, and output of a program. */
export type Piece = EventOf<'text-delta' | 'code'>

/** What stands above pieces, and whom the words are for where that is known. */
export interface PieceHead {
  readonly text: string
  readonly recipient?: string
}

/** A text of an agent that comes whole. */
export interface TranscriptEntry {
  readonly agent: string
  readonly head: string
  readonly text: string
  /** What stands below it, with the end of its last line. */
  readonly tail: string
  /** Whether it is what the agent says in its turn. */
  readonly isMessage: boolean
  /**
   * What becomes of it where it was shown while it came: with `complete` the rest and its tail are shown, if the pieces still stand
   * above it; with `leave-out` nothing is shown of what was shown already; without either it is shown again.
   */
  readonly whenShown?: 'complete' | 'leave-out'
  /** For `complete`: whom the pieces must have been for. */
  readonly recipient?: string
  /** Is shown in any case. */
  readonly note?: string
}

/** The words of a transcript: AutoGen 0.2's for conversations, 0.4's for tasks. */
export interface TranscriptFormat {
  /** Whether two that write at the same time are shown piece by piece. Otherwise the second one is shown at its end. */
  readonly showsSeveralWriters: boolean
  /** What stands above pieces; `undefined` where they are not shown before they are whole. */
  pieceHead(piece: Piece, theme: Theme): PieceHead | undefined
  /**
   * Text of an event, on separate lines; nothing for most events.
   *
   * @param recipient - Recipient of the text that is being streamed.
   */
  entries(event: AgentEvent, theme: Theme, recipient?: string): readonly (TranscriptEntry | string)[]
}

/**
 * The transcript of a conversation or a task. What a model says and what a program writes is shown while it comes, if that is wanted, and
 * not once more when it is whole.
 */
export class Transcript {
  readonly #format: TranscriptFormat
  readonly #live: boolean
  readonly #margin = new TerminalOutput()
  readonly #runs = new Map<string, EchoFilter>()
  /** Last text shown of each agent, streamed or whole; the whole text may follow. */
  readonly #shown = new Map<string, string>()
  /** What comes in pieces at the moment. */
  #open: { readonly type: Piece['type']; readonly agent: string; readonly recipient?: string } | undefined

  /** @param live - whether words and output are shown while they come. */
  constructor(format: TranscriptFormat, live: boolean) {
    this.#format = format
    this.#live = live
  }

  text(event: AgentEvent, theme: Theme): string {
    const { agent } = event
    switch (event.type) {
      case 'text-delta':
        return this.#live ? this.#wordsText(event, theme) : ''
      case 'code':
        return this.#live ? this.#outputText(event, theme) : ''
      case 'code-start':
        this.#runs.delete(agent)
        break
      case 'code-end': {
        // What comes next is the agent's message, also where it says the same.
        this.#shown.delete(agent)
        const run = this.#runs.get(agent)
        if (run !== undefined) run.output = event.result.output
        break
      }
      case 'model-fallback':
        this.#shown.delete(agent)
        break
    }
    const entries = this.#format.entries(event, theme, this.#open?.recipient)
    return entries.map((entry) => this.#entryText(entry)).join('')
  }

  /** Ends the line at hand. A message that stood on it is shown whole when it is finished. */
  interrupt(): string {
    const isText = this.#open?.type === 'text-delta'
    this.#open = undefined
    return `${this.#margin.end()}${isText ? '\n' : ''}`
  }

  #wordsText(event: EventOf<'text-delta'>, theme: Theme): string {
    const { agent, text } = event
    if (text === '') return ''
    let begin = ''
    if (!this.#isOpen(event)) {
      const isTaken = this.#open?.type === 'text-delta' && !this.#format.showsSeveralWriters
      const head = this.#format.pieceHead(event, theme)
      if (isTaken || head === undefined) return ''
      begin = this.#begin(event, head)
      this.#shown.delete(agent)
    }
    // What a model says of an output is not the output.
    this.#runs.delete(agent)
    this.#shown.set(agent, `${this.#shown.get(agent) ?? ''}${text}`)
    return `${begin}${visible(text)}`
  }

  #outputText(event: EventOf<'code'>, theme: Theme): string {
    const output = programOutput(event.event)
    const head = this.#format.pieceHead(event, theme)
    if (output === undefined || head === undefined) return ''
    const begin = this.#isOpen(event) ? '' : this.#begin(event, head)
    const { margin, text, isWhole } = output
    const run = this.#runs.get(event.agent) ?? new EchoFilter()
    this.#runs.set(event.agent, run)
    if (!isWhole) {
      run.addText(text)
      return `${begin}${this.#margin.add(margin, text, theme)}`
    }
    run.addLines(text)
    return `${begin}${this.#margin.end()}${this.#margin.add(margin, `${text}\n`, theme)}`
  }

  #isOpen({ type, agent }: Piece): boolean {
    return this.#open?.type === type && this.#open.agent === agent
  }

  #begin({ type, agent }: Piece, { text, ...recipient }: PieceHead): string {
    const end = this.interrupt()
    this.#open = { type, agent, ...recipient }
    return `${end}${text}`
  }

  #entryText(entry: TranscriptEntry | string): string {
    if (typeof entry === 'string') return `${this.interrupt()}${entry}`
    const { agent, head, text, tail, isMessage, whenShown, note = '' } = entry
    const run = this.#runs.get(agent)
    const shown = this.#shown.get(agent)
    // In a task, the result of the run was shown as a separate event: an answer that repeats the output is not shortened.
    const isOutput = whenShown === 'leave-out' && isMessage && text.trim() === run?.output.trim()
    const content = isOutput ? text : (run?.removeFrom(text) ?? text)
    const isOpen = this.#open?.type === 'text-delta' && this.#open.agent === agent
    const isCompleted = whenShown === 'complete' && isOpen && this.#open?.recipient === entry.recipient
    if (isMessage) {
      this.#runs.delete(agent)
      this.#shown.delete(agent)
    } else if (whenShown === 'leave-out') this.#shown.set(agent, text)
    if (isCompleted) {
      this.#open = undefined
      return `${visible(restOf(content, shown ?? ''))}${tail}${note}`
    }
    const isLeftOut = this.#live && whenShown === 'leave-out' && shown?.trim() === text.trim()
    return `${this.interrupt()}${isLeftOut ? '' : `${head}${visible(content)}${tail}`}${note}`
  }
}

/** The part of a message that is not shown yet; the whole message if a hook has changed it. */
function restOf(content: string, shown: string): string {
  if (content.startsWith(shown)) return content.slice(shown.length)
  return shown.trim() === content.trim() ? '' : `\n\n${content}`
}
