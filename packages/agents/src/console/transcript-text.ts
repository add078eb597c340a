import type { CodeBlock } from '@fenced/core'
import type { ModelMessage } from 'ai'
import type { AgentEvent, EventOf } from '../event.ts'
import { interruptionOf, textOf } from '../message/message.ts'
import {
  type ToolCall,
  type ToolResponse,
  toolCallPart,
  toolCallsOf,
  toolResponsesOf,
  toolResultPart,
} from '../message/tool-parts.ts'
import type { Look } from './look.ts'
import { visible } from './visible.ts'

/** What a transcript shows of an event, with its line break; empty for most of them. */
export function transcriptText(event: AgentEvent, look: Look): string {
  switch (event.type) {
    case 'chat-start':
      return event.queueIndex === undefined ? '' : queueBanner(look)
    case 'message':
    case 'tool-calls':
    case 'tool-results': {
      const said = saidIn(event)
      return said === undefined ? '' : messageText(said, look)
    }
    case 'no-human-input':
      return banner('NO HUMAN INPUT RECEIVED.', look)
    case 'auto-reply':
      return banner('USING AUTO REPLY...', look)
    case 'code-start':
      return banner(codeTitle(event.blocks), look)
    case 'tool-start':
      return banner(`EXECUTING FUNCTION ${visible(event.call.name)}...`, look, 'magenta')
    case 'notice':
      return banner(visible(event.notice.message), look)
    case 'events-dropped':
      return banner(`${event.count} EVENTS WERE LEFT OUT HERE, because nobody read them in time.`, look)
    default:
      return ''
  }
}

/** What is said in a conversation; calls of an agent's own tools, and their answers, it says to itself. */
export function saidIn(
  event: EventOf<'message' | 'tool-calls' | 'tool-results'>,
  recipient: string = event.agent,
): SaidMessage | undefined {
  const { agent: sender } = event
  switch (event.type) {
    case 'message':
      return event.recipient === undefined
        ? undefined
        : { sender, recipient: event.recipient, message: event.message }
    case 'tool-calls': {
      const { content, toolCalls } = event
      const said = content === '' ? [] : [{ type: 'text', text: content } as const]
      return {
        sender,
        recipient,
        message: { role: 'assistant', content: [...said, ...toolCalls.map(toolCallPart)] },
      }
    }
    case 'tool-results': {
      return { sender, recipient, message: { role: 'tool', content: event.results.map(toolResultPart) } }
    }
  }
}

/** Why a conversation ends. */
export function terminationText(reason: string, look: Look): string {
  return banner(`TERMINATING RUN: ${visible(reason)}`, look)
}

/** One line that is not said by anybody. */
export function banner(text: string, { paint }: Look, color: 'red' | 'magenta' = 'red'): string {
  return `\n${paint(color, `>>>>>>>> ${text}`)}\n`
}

function codeTitle(blocks: readonly CodeBlock[]): string {
  const languages = blocks.map(({ language }) => visible(language) || 'unknown')
  if (languages.length === 1) return `EXECUTING CODE BLOCK (inferred language is ${languages[0]})...`
  return `EXECUTING ${languages.length} CODE BLOCKS (inferred languages are [${languages.join(', ')}])...`
}

function queueBanner({ paint, width }: Look): string {
  const stars = '*'.repeat(width)
  return `${paint('blue', `\n${stars}`)}\n${paint('blue', 'Starting a new chat....')}\n${paint('blue', `\n${stars}`)}\n`
}

export interface SaidMessage {
  readonly sender: string
  readonly recipient: string
  readonly message: ModelMessage
}

/** A message as AutoGen prints it: who to whom, an empty line, what, an empty line, a line across the page. */
export function messageText(
  { sender, recipient, message }: SaidMessage,
  look: Look,
  content: string = textOf(message),
): string {
  const head = headText(sender, recipient, look)
  if (message.role === 'tool') return `${head}${toolMessageText(message, look)}`
  const said = content === '' && toolCallsOf(message).length > 0 ? '' : `${visible(content)}\n`
  return `${head}${said}${tailText(message, look)}`
}

/** What stands above a message. */
export function headText(sender: string, recipient: string, { paint }: Look): string {
  return `${paint('yellow', visible(sender))} (to ${visible(recipient)}):\n\n`
}

/** What stands below the content of a message. */
export function tailText(message: ModelMessage, look: Look): string {
  const calls = toolCallsOf(message).map((call) => callText(call, look))
  return `${calls.join('')}${endText(look)}`
}

function toolMessageText(message: ModelMessage, look: Look): string {
  const responses = toolResponsesOf(message)
    .map((response) => `${responseText(response, look)}${endText(look)}`)
    .join('')
  const interruption = interruptionOf(message)
  return interruption === undefined ? responses : `${responses}${visible(interruption)}\n${endText(look)}`
}

function endText({ width }: Look): string {
  return `\n${'-'.repeat(width)}\n`
}

function callText({ id, name, input }: ToolCall, look: Look): string {
  const title = `***** Suggested tool call (${visible(id)}): ${visible(name)} *****`
  const text = (typeof input === 'string' ? input : JSON.stringify(input)) || '(none)'
  return starred(title, `Arguments: \n${visible(text)}\n`, look)
}

function responseText({ toolCallId, content }: ToolResponse, look: Look): string {
  return starred(
    `***** Response from calling tool (${visible(toolCallId)}) *****`,
    `${visible(content)}\n`,
    look,
  )
}

function starred(title: string, text: string, { paint }: Look): string {
  return `${paint('green', title)}\n${text}${paint('green', '*'.repeat(title.length))}\n`
}
