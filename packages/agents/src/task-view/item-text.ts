import type { AgentEvent, EventOf } from '../event.ts'
import { autoGenClass, textOf } from '../message/message.ts'
import type { ToolCall } from '../message/tool-parts.ts'

/** The names of AutoGen 0.4 for what a task shows. */
const names = {
  thought: 'ThoughtEvent',
  'text-delta': 'ModelClientStreamingChunkEvent',
  'code-generated': 'CodeGenerationEvent',
  code: 'CodeOutputEvent',
  'code-end': 'CodeExecutionEvent',
  'approval-requested': 'ApprovalRequestedEvent',
  'approval-answered': 'ApprovalAnsweredEvent',
  'human-input-requested': 'UserInputRequestedEvent',
  'tool-calls': 'ToolCallRequestEvent',
  'tool-results': 'ToolCallExecutionEvent',
  'speaker-selected': 'SelectSpeakerEvent',
  'model-fallback': 'NoticeEvent',
  notice: 'NoticeEvent',
} as const satisfies Partial<Record<AgentEvent['type'], string>>

/** The name that AutoGen 0.4 has for an event; `undefined` for what it does not know. */
export function autoGenName(event: AgentEvent): string | undefined {
  if (event.type === 'message') return event.recipient === undefined ? autoGenClass(event.message) : undefined
  return event.type in names ? names[event.type as keyof typeof names] : undefined
}

/** What is shown of an event below its head; `undefined` for questions, which are shown by who asks them, and for all else. */
export function eventText(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'message':
      return event.recipient === undefined ? textOf(event.message) : undefined
    case 'thought':
    case 'code-generated':
    case 'code-end':
      return event.content
    case 'approval-answered':
      return answerText(event)
    case 'tool-calls':
      return event.toolCalls.map(callText).join('\n')
    case 'tool-results':
      return event.results.map(({ name, content }) => `${name}: ${content}`).join('\n')
    case 'speaker-selected':
      return event.speakers.join(', ')
    case 'notice':
      return event.notice.message
    case 'model-fallback':
      return `${event.modelId} failed, and ${event.nextModelId} is asked: ${event.message}`
    default:
      return undefined
  }
}

function callText({ name, input }: ToolCall): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  return `${name}(${text ?? ''})`
}

function answerText({ decision, remembered, reason }: EventOf<'approval-answered'>): string {
  return `${decision}${reason === undefined ? '' : `: ${reason}`}${remembered ? ' (an earlier answer holds)' : ''}`
}
