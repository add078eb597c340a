import {
  type AgentEvent,
  type EventOf,
  type Message,
  type ToolCall,
  type ToolResponse,
  textOf,
  toolCallsOf,
  toolResponsesOf,
} from '@fenced/agents'
import type { CodeBlock } from '@fenced/core'
import { visible, visibleName } from '@fenced/errors/text'
import { ActiveChats } from './active-chats.ts'
import type { Theme } from './theme.ts'
import type { Piece, PieceHead, TranscriptEntry, TranscriptFormat } from './transcript.ts'

interface ChatFormatOptions {
  readonly live: boolean
  readonly showTermination: boolean
}

/** A conversation as AutoGen 0.2 prints it: who to whom, an empty line, what, an empty line, a line across the page. */
export class ChatFormat implements TranscriptFormat {
  readonly showsSeveralWriters = false
  readonly #options: ChatFormatOptions
  readonly #chats = new ActiveChats()

  constructor(options: ChatFormatOptions) {
    this.#options = options
  }

  pieceHead({ type, agent }: Piece, theme: Theme): PieceHead | undefined {
    if (type === 'code') return { text: '' }
    const recipient = this.#chats.partnerOf(agent)
    return recipient === undefined ? undefined : { text: headText(agent, recipient, theme), recipient }
  }

  entries(event: AgentEvent, theme: Theme, recipient?: string): readonly (TranscriptEntry | string)[] {
    this.#chats.follow(event)
    switch (event.type) {
      case 'chat-start':
        return event.queueIndex === undefined ? [] : [queueBanner(theme)]
      case 'message':
      case 'tool-calls':
      case 'tool-results': {
        const said = saidIn(event, recipient)
        return said === undefined ? [] : [messageEntry(said, theme)]
      }
      case 'no-human-input':
        return [banner('NO HUMAN INPUT RECEIVED.', theme)]
      case 'auto-reply':
        return [banner('USING AUTO REPLY...', theme)]
      case 'code-start':
        return [banner(codeTitle(event.blocks), theme)]
      case 'tool-start':
        return [banner(`EXECUTING FUNCTION ${visibleName(event.call.name)}...`, theme, 'magenta')]
      case 'notice':
        return [banner(visible(event.notice.message), theme)]
      case 'events-dropped':
        return [banner(`${event.count} EVENTS WERE LEFT OUT HERE: the reader was too slow.`, theme)]
      case 'model-fallback': {
        const { modelId, nextModelId, message } = event
        const reason = `ASKING ${nextModelId} INSTEAD OF ${modelId}: ${message}`
        return this.#options.live ? [banner(visible(reason), theme)] : []
      }
      case 'termination': {
        const reason = `TERMINATING RUN: ${visible(event.reason)}`
        return this.#options.showTermination ? [banner(reason, theme)] : []
      }
      default:
        return []
    }
  }
}

/** What is said in a conversation; calls of an agent's own tools, and their answers, it says to itself. */
function saidIn(
  event: EventOf<'message' | 'tool-calls' | 'tool-results'>,
  recipient: string = event.agent,
): SaidMessage | undefined {
  const { agent: sender } = event
  switch (event.type) {
    case 'message':
      if (event.recipient === undefined) return undefined
      return { sender, recipient: event.recipient, ...partsOf(event.message) }
    case 'tool-calls':
      return { sender, recipient, text: event.content, calls: event.toolCalls }
    case 'tool-results':
      return { sender, recipient, responses: event.results }
  }
}

function partsOf(message: Message): Pick<SaidMessage, 'text' | 'calls' | 'responses'> {
  const text = textOf(message)
  if (message.role !== 'tool') return { text, calls: toolCallsOf(message) }
  const responses = toolResponsesOf(message)
  // A person has replied instead of the tools.
  const isInterrupted = text !== responses.map(({ content }) => content).join('\n\n')
  return { responses, ...(isInterrupted ? { text } : {}) }
}

function banner(text: string, { paint }: Theme, color: 'red' | 'magenta' = 'red'): string {
  return `\n${paint(color, `>>>>>>>> ${text}`)}\n`
}

function codeTitle(blocks: readonly CodeBlock[]): string {
  const languages = blocks.map(({ language }) => visibleName(language) || 'unknown')
  if (languages.length === 1) return `EXECUTING CODE BLOCK (inferred language is ${languages[0]})...`
  return `EXECUTING ${languages.length} CODE BLOCKS (inferred languages are [${languages.join(', ')}])...`
}

function queueBanner({ paint, width }: Theme): string {
  const stars = '*'.repeat(width)
  return `${paint('blue', `\n${stars}`)}\n${paint('blue', 'Starting a new chat....')}\n${paint('blue', `\n${stars}`)}\n`
}

interface SaidMessage {
  readonly sender: string
  readonly recipient: string
  readonly text?: string
  readonly calls?: readonly ToolCall[]
  /** Of a message with results of tools. */
  readonly responses?: readonly ToolResponse[]
}

function messageEntry(said: SaidMessage, theme: Theme): TranscriptEntry | string {
  const { sender, recipient, text = '', calls = [], responses } = said
  const head = headText(sender, recipient, theme)
  if (responses !== undefined) return `${head}${responsesText(responses, said.text, theme)}`
  const end = `${calls.map((call) => callText(call, theme)).join('')}${endText(theme)}`
  const tail = text === '' && calls.length > 0 ? end : `\n${end}`
  return { agent: sender, recipient, head, text, tail, isMessage: true, whenShown: 'complete' }
}

function headText(sender: string, recipient: string, { paint }: Theme): string {
  return `${paint('yellow', visibleName(sender))} (to ${visibleName(recipient)}):\n\n`
}

/** @param interruption - what a person said instead of the tools. */
function responsesText(
  responses: readonly ToolResponse[],
  interruption: string | undefined,
  theme: Theme,
): string {
  const texts = responses.map((response) => `${responseText(response, theme)}${endText(theme)}`).join('')
  return interruption === undefined ? texts : `${texts}${visible(interruption)}\n${endText(theme)}`
}

function endText({ width }: Theme): string {
  return `\n${'-'.repeat(width)}\n`
}

function callText({ id, name, input }: ToolCall, theme: Theme): string {
  const title = `***** Suggested tool call (${visibleName(id)}): ${visibleName(name)} *****`
  const text = (typeof input === 'string' ? input : JSON.stringify(input)) || '(none)'
  return starred(title, `Arguments: \n${visible(text)}\n`, theme)
}

function responseText({ toolCallId, content }: ToolResponse, theme: Theme): string {
  return starred(
    `***** Response from calling tool (${visibleName(toolCallId)}) *****`,
    `${visible(content)}\n`,
    theme,
  )
}

function starred(title: string, text: string, { paint }: Theme): string {
  return `${paint('green', title)}\n${text}${paint('green', '*'.repeat(title.length))}\n`
}
