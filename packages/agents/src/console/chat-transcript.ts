import type { ExecutionEvent } from '@fenced/core'
import type { AgentEvent, EventOf } from '../event.ts'
import { textOf } from '../message/message.ts'
import type { Look } from './look.ts'
import { OpenChats } from './open-chats.ts'
import { Margin, programOutput, ShownOutput } from './program-output.ts'
import {
  banner,
  headText,
  messageText,
  type SaidMessage,
  saidIn,
  tailText,
  terminationText,
  transcriptText,
} from './transcript-text.ts'
import { visible } from './visible.ts'

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

/** A message that is shown while its writer still writes. */
interface OpenMessage {
  readonly sender: string
  readonly recipient: string
  shown: string
}

/** A transcript in which what a model says and what a program writes is shown while it comes, and not once more. */
export class LiveTranscript {
  readonly #chats = new OpenChats()
  readonly #margin = new Margin()
  readonly #runs = new Map<string, ShownOutput>()
  #open: OpenMessage | undefined

  text(event: AgentEvent, look: Look): string {
    this.#chats.follow(event)
    switch (event.type) {
      case 'text-delta':
        return this.#deltaText(event, look)
      case 'model-fallback': {
        const { modelId, nextModelId, message } = event
        const reason = `ASKING ${nextModelId} INSTEAD OF ${modelId}: ${message}`
        return `${this.interrupt()}${banner(visible(reason), look)}`
      }
      case 'code':
        return this.#codeText(event.agent, event.event)
      case 'message':
      case 'tool-calls':
      case 'tool-results': {
        const said = saidIn(event, this.#open?.recipient)
        return said === undefined ? '' : this.#messageText(said, look)
      }
      case 'code-start':
        this.#runs.set(event.agent, new ShownOutput())
        break
      case 'code-end':
        this.#run(event.agent).output = event.result.output
        break
    }
    const text = transcriptText(event, look)
    return text === '' ? '' : `${this.interrupt()}${text}`
  }

  /** Ends the line at hand. A message that stood on it is shown whole when it is finished. */
  interrupt(): string {
    const end = this.#open === undefined ? '' : '\n'
    this.#open = undefined
    return `${this.#margin.end()}${end}`
  }

  #deltaText({ agent, text }: EventOf<'text-delta'>, look: Look): string {
    if (text === '') return ''
    if (this.#open?.sender === agent) return this.#delta(this.#open, text)
    const recipient = this.#chats.partnerOf(agent)
    // Two that write at the same time would be unreadable: the second one is shown at its end.
    if (recipient === undefined || this.#open !== undefined) return ''
    this.#open = { sender: agent, recipient, shown: '' }
    return `${this.#margin.end()}${headText(agent, recipient, look)}${this.#delta(this.#open, text)}`
  }

  #delta(open: OpenMessage, text: string): string {
    open.shown += text
    return visible(text)
  }

  #codeText(agent: string, event: ExecutionEvent): string {
    const output = programOutput(event)
    if (output === undefined) return ''
    const { margin, text, isWhole } = output
    if (!isWhole) {
      this.#run(agent).addText(text)
      return this.#marginText(margin, text)
    }
    this.#run(agent).addLines(text)
    return `${this.interrupt()}${this.#marginText(margin, `${text}\n`)}`
  }

  #marginText(margin: string, text: string): string {
    const end = this.#open === undefined ? '' : this.interrupt()
    return `${end}${this.#margin.add(margin, text)}`
  }

  #messageText(said: SaidMessage, look: Look): string {
    const { sender, recipient, message } = said
    const run = this.#runs.get(sender)
    this.#runs.delete(sender)
    const text = textOf(message)
    const content = run?.removeFrom(text) ?? text
    const open = this.#open
    if (open?.sender !== sender || open.recipient !== recipient) {
      return `${this.interrupt()}${messageText(said, look, content)}`
    }
    this.#open = undefined
    return `${visible(restOf(content, open.shown))}\n${tailText(message, look)}`
  }

  #run(agent: string): ShownOutput {
    const run = this.#runs.get(agent) ?? new ShownOutput()
    this.#runs.set(agent, run)
    return run
  }
}

/** What is still to be shown of a message; all of it where somebody has changed what the model wrote. */
function restOf(content: string, shown: string): string {
  if (content.startsWith(shown)) return content.slice(shown.length)
  return shown.trim() === content.trim() ? '' : `\n\n${content}`
}
