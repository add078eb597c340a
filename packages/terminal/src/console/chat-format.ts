import {
  type AgentEvent,
  type Message,
  type ToolCall,
  type ToolResponse,
  textOf,
  toolCallsOf,
  toolResponsesOf,
} from '@fenced/agents'
import type { CodeBlock } from '@fenced/core'
import { visible, visibleName } from '@fenced/errors/text'
import type { ConsoleFormat, Theme } from './theme.ts'

/** A conversation as AutoGen 0.2 prints it: who to whom, an empty line, what, an empty line, a line across the page. */
export class ChatFormat implements ConsoleFormat {
  readonly #showTermination: boolean

  constructor({ showTermination }: { readonly showTermination: boolean }) {
    this.#showTermination = showTermination
  }

  text(event: AgentEvent, theme: Theme): string {
    const { agent } = event
    switch (event.type) {
      case 'chat-start':
        return event.queueIndex === undefined ? '' : queueBanner(theme)
      case 'message':
        return event.recipient === undefined
          ? ''
          : `${headText(agent, event.recipient, theme)}${messageText(event.message, theme)}`
      // Calls of an agent's own tools, and their results, are said to itself.
      case 'tool-calls':
        return `${headText(agent, agent, theme)}${callsText(event.content, event.toolCalls, theme)}`
      case 'tool-results':
        return `${headText(agent, agent, theme)}${responsesText(event.results, theme)}`
      case 'no-human-input':
        return banner('NO HUMAN INPUT RECEIVED.', theme)
      case 'auto-reply':
        return banner('USING AUTO REPLY...', theme)
      case 'code-start':
        return banner(codeTitle(event.blocks), theme)
      case 'tool-start':
        return banner(`EXECUTING FUNCTION ${visibleName(event.call.name)}...`, theme, 'magenta')
      case 'notice':
        return banner(visible(event.notice.message), theme)
      case 'events-dropped':
        return banner(`${event.count} EVENTS WERE LEFT OUT HERE: the reader was too slow.`, theme)
      case 'termination':
        return this.#showTermination ? banner(`TERMINATING RUN: ${visible(event.reason)}`, theme) : ''
      default:
        return ''
    }
  }

  end(): string {
    return ''
  }
}

function messageText(message: Message, theme: Theme): string {
  const text = textOf(message)
  if (message.role !== 'tool') return callsText(text, toolCallsOf(message), theme)
  const responses = toolResponsesOf(message)
  // A person has replied instead of the tools.
  const isInterrupted = text !== responses.map(({ content }) => content).join('\n\n')
  return `${responsesText(responses, theme)}${isInterrupted ? `${visible(text)}\n${endText(theme)}` : ''}`
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

function headText(sender: string, recipient: string, { paint }: Theme): string {
  return `${paint('yellow', visibleName(sender))} (to ${visibleName(recipient)}):\n\n`
}

function callsText(text: string, calls: readonly ToolCall[], theme: Theme): string {
  const said = text === '' && calls.length > 0 ? '' : `${visible(text)}\n`
  return `${said}${calls.map((call) => callText(call, theme)).join('')}${endText(theme)}`
}

function callText({ id, name, input }: ToolCall, theme: Theme): string {
  const title = `***** Suggested tool call (${visibleName(id)}): ${visibleName(name)} *****`
  const text = (typeof input === 'string' ? input : JSON.stringify(input)) || '(none)'
  return starred(title, `Arguments: \n${visible(text)}\n`, theme)
}

function responsesText(responses: readonly ToolResponse[], theme: Theme): string {
  const texts = responses.map(({ toolCallId, content }) => {
    const title = `***** Response from calling tool (${visibleName(toolCallId)}) *****`
    return `${starred(title, `${visible(content)}\n`, theme)}${endText(theme)}`
  })
  return texts.join('')
}

function endText({ width }: Theme): string {
  return `\n${'-'.repeat(width)}\n`
}

function starred(title: string, text: string, { paint }: Theme): string {
  return `${paint('green', title)}\n${text}${paint('green', '*'.repeat(title.length))}\n`
}
