import type { AgentEvent } from '../event.ts'
import { LiveTranscript } from './live-transcript.ts'
import type { Look } from './look.ts'
import { terminationText, transcriptText } from './transcript-text.ts'

/** Options of {@link ChatTranscript}. */
export interface ChatTranscriptOptions {
  /** Shows words and output while they come. */
  readonly live: boolean
  /** Says why a conversation ends. */
  readonly showTermination: boolean
}

/** The transcript of a conversation, as AutoGen 0.2 prints it. */
export class ChatTranscript {
  readonly #live: LiveTranscript | undefined
  readonly #showTermination: boolean

  constructor({ live, showTermination }: ChatTranscriptOptions) {
    this.#live = live ? new LiveTranscript() : undefined
    this.#showTermination = showTermination
  }

  text(event: AgentEvent, look: Look): string {
    const text = this.#live?.text(event, look) ?? transcriptText(event, look)
    if (event.type !== 'termination' || !this.#showTermination) return text
    return `${text}${this.interrupt()}${terminationText(event.reason, look)}`
  }

  /** Ends the line at hand. */
  interrupt(): string {
    return this.#live?.interrupt() ?? ''
  }
}
