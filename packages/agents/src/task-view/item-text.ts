import type { ToolCall } from '../message/chat-message.ts'
import type {
  AgentEvent,
  AgentMessage,
  ApprovalAnsweredEvent,
  CodeOutputEvent,
  ModelClientStreamingChunkEvent,
} from '../task/agent-message.ts'

/** What comes whole. */
export type WholeItem = Exclude<AgentMessage | AgentEvent, CodeOutputEvent | ModelClientStreamingChunkEvent>

/** What is shown of a message or an event below its head; `undefined` for questions, which are shown by who asks them. */
export function itemText(item: WholeItem): string | undefined {
  switch (item.type) {
    case 'UserInputRequestedEvent':
    case 'ApprovalRequestedEvent':
      return undefined
    case 'ApprovalAnsweredEvent':
      return answerText(item)
    case 'ToolCallRequestEvent':
      return item.toolCalls.map(callText).join('\n')
    case 'ToolCallExecutionEvent':
      return item.results.map(({ name, content }) => `${name}: ${content}`).join('\n')
    case 'SelectSpeakerEvent':
      return item.speakers.join(', ')
    case 'NoticeEvent':
      return item.notice.message
    default:
      return item.content
  }
}

function callText({ name, input }: ToolCall): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  return `${name}(${text ?? ''})`
}

function answerText({ decision, remembered, reason }: ApprovalAnsweredEvent): string {
  return `${decision}${reason === undefined ? '' : `: ${reason}`}${remembered ? ' (an earlier answer holds)' : ''}`
}
