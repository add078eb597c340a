import type { CodeBlock } from '@fenced/core'
import type { ChatEvent } from '../chat/chat-event.ts'
import type { Look } from './look.ts'
import { messageText } from './message-text.ts'
import { visible } from './visible.ts'

/** What a transcript shows of an event, with its line break; empty for most of them. */
export function transcriptText(event: ChatEvent, look: Look): string {
  switch (event.type) {
    case 'chat-start':
      return event.queueIndex === undefined ? '' : queueBanner(look)
    case 'message':
      return messageText(event, look)
    case 'inner-message':
      return messageText({ sender: event.agent, recipient: event.agent, message: event.message }, look)
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
