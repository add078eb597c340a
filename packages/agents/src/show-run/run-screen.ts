import type { CodeBlock, ExecutionEvent } from '@fenced/core'
import type { ChatEvent } from '../chat/chat-event.ts'
import type { Look } from '../console/look.ts'
import { OpenChats } from '../console/open-chats.ts'
import type { ChatMessage, ToolCall, ToolResponse } from '../message/chat-message.ts'
import type { AgentMessage, CodeGenerationEvent } from '../task/agent-message.ts'
import type { ResponseItem, TaskItem } from '../task/chat-agent.ts'
import { answers, headOf, RunPage } from './run-page.ts'
import { summaryText } from './summary.ts'

/** What happens in a conversation, in a task, or while an executor runs blocks. */
export type RunEvent = ChatEvent | TaskItem | ResponseItem | ExecutionEvent

/** Who runs blocks where no agent does. */
const nobody = ''

/** What is shown of the events of a run, of conversations and of tasks alike. */
export class RunScreen {
  readonly #page = new RunPage()
  readonly #chats = new OpenChats()
  /** What an agent's program has just shown: its own message about it says nothing new. */
  readonly #ran = new Map<string, string>()
  /** What a person typed: they have seen it. */
  readonly #typed = new Map<string, string>()
  readonly #isTyped: boolean
  readonly #blocks: readonly CodeBlock[]
  #reason = ''
  #tokens = { inputTokens: 0, outputTokens: 0 }

  /**
   * @param isTyped - whether people type where this is shown.
   * @param blocks - of an execution that no agent runs.
   */
  constructor(isTyped: boolean, blocks: readonly CodeBlock[] = []) {
    this.#isTyped = isTyped
    this.#blocks = blocks
  }

  text(event: RunEvent, look: Look): string {
    return isOfChat(event) ? this.#chatText(event, look) : this.#otherText(event, look)
  }

  /** Ends the line at hand. */
  interrupt(): string {
    return this.#page.interrupt()
  }

  summary(look: Look): string {
    return summaryText(this.#page.programs.all, { reason: this.#reason, ...this.#tokens }, look)
  }

  #chatText(event: ChatEvent, look: Look): string {
    this.#chats.follow(event)
    switch (event.type) {
      case 'model':
        return this.#modelText(event, look)
      case 'message':
        return this.#chatMessage(event, look)
      case 'human-input-request':
        return this.#page.question()
      case 'human-input':
        this.#typed.set(event.agent, event.text)
        return ''
      case 'code-start':
        return this.#page.beginRun(event.agent, event.blocks, look)
      case 'code':
        return this.#page.execution(event.agent, event.event, look)
      case 'code-end':
        this.#ran.set(event.agent, event.result.output)
        return this.#page.endRun(event.agent, event.result, look)
      case 'tool-start':
        return this.#page.note(callText(event.call), look)
      case 'tool-end':
        return this.#page.note(responseText(event.response), look)
      case 'notice':
        return this.#page.note(event.notice.message, look)
      case 'termination':
        this.#reason = event.reason
        return ''
      case 'events-dropped':
        return this.#dropped(event.count, look)
      default:
        return ''
    }
  }

  #modelText({ agent, event }: Extract<ChatEvent, { type: 'model' }>, look: Look): string {
    if (event.type === 'usage') this.#count(event.usage)
    if (event.type === 'model-fallback')
      return this.#fallback(event.modelId, event.nextModelId, event.message, look)
    if (event.type !== 'text-delta') return ''
    const partner = this.#chats.partnerOf(agent)
    // A summary is part of the result, and nobody of the conversation hears it.
    return partner === undefined ? '' : this.#page.piece(headOf(agent, partner, look), event.text, look)
  }

  #fallback(modelId: string, nextModelId: string, message: string, look: Look): string {
    return this.#page.note(`${modelId} failed, so ${nextModelId} is asked: ${message}`, look)
  }

  #chatMessage(
    { sender, recipient, message }: { sender: string; recipient: string; message: ChatMessage },
    look: Look,
  ): string {
    const output = this.#ran.get(sender)
    this.#ran.delete(sender)
    const typed = this.#typed.get(sender)
    this.#typed.delete(sender)
    if (output !== undefined && /^exitcode: \d+ /.test(message.content)) return this.#page.interrupt()
    if (this.#isTyped && typed !== undefined && typed !== '' && typed === message.content) return ''
    // What tools answered was shown when they did.
    if (message.role === 'tool') return this.#page.interrupt()
    return this.#page.message(headOf(sender, recipient, look), message.content, look)
  }

  #otherText(event: Exclude<RunEvent, ChatEvent>, look: Look): string {
    switch (event.type) {
      case 'TaskResult':
        this.#reason = event.stopReason ?? ''
        return this.#page.interrupt()
      case 'Response':
        this.#reason = event.stopReason ?? ''
        return this.#said(event.message, look)
      case 'TextMessage':
      case 'StopMessage':
      case 'HandoffMessage':
        return this.#said(event, look)
      case 'ModelClientStreamingChunkEvent':
        return this.#page.piece(headOf(event.source, undefined, look), event.content, look)
      case 'CodeGenerationEvent':
        return this.#generated(event, look)
      case 'ThoughtEvent':
        return this.#page.note(event.content, look)
      case 'ApprovalRequestedEvent':
        return this.#page.beginRun(event.source, event.request.blocks, look) + this.#page.question()
      case 'ApprovalAnsweredEvent':
        return event.remembered
          ? this.#page.note(`${answers[event.decision]} by an earlier answer.`, look)
          : ''
      case 'CodeOutputEvent':
        return this.#page.execution(event.source, event.event, look)
      case 'CodeExecutionEvent':
        this.#ran.set(event.source, event.content)
        return this.#page.endRun(event.source, event.result, look)
      case 'ToolCallRequestEvent':
        return event.toolCalls.map((call) => this.#page.note(callText(call), look)).join('')
      case 'ToolCallExecutionEvent':
        return event.results.map((result) => this.#page.note(responseText(result), look)).join('')
      case 'NoticeEvent':
        return this.#page.note(event.notice.message, look)
      case 'UserInputRequestedEvent':
        return this.#page.question()
      case 'execution-end':
        this.#page.addUnreached(nobody, this.#blocks)
        return this.#page.endRun(nobody, event.result, look)
      case 'SelectSpeakerEvent':
      case 'ToolCallSummaryMessage':
        return ''
      default:
        return this.#page.execution(nobody, event, look)
    }
  }

  #generated({ source, content, plan }: CodeGenerationEvent, look: Look): string {
    const head = headOf(source, undefined, look)
    if (plan === undefined) return this.#page.message(head, content, look)
    return this.#page.message(`${head}${look.paint('dim', ' plans another try')}`, plan.correction, look)
  }

  #said({ source, content, usage }: AgentMessage, look: Look): string {
    this.#count(usage)
    const ran = this.#ran.get(source)
    this.#ran.delete(source)
    if (ran !== undefined && ran === content) return this.#page.interrupt()
    return this.#page.message(headOf(source, undefined, look), content, look)
  }

  #dropped(count: number, look: Look): string {
    return this.#page.note(`${count} events are missing here: they were not read in time.`, look)
  }

  #count({ inputTokens = 0, outputTokens = 0 }: { inputTokens?: number; outputTokens?: number } = {}): void {
    this.#tokens.inputTokens += inputTokens
    this.#tokens.outputTokens += outputTokens
  }
}

function isOfChat(event: RunEvent): event is ChatEvent {
  return chatEvents.has(event.type)
}

const chatEvents: ReadonlySet<string> = new Set<ChatEvent['type']>([
  'chat-start',
  'chat-end',
  'message',
  'human-input-request',
  'human-input',
  'no-human-input',
  'auto-reply',
  'model',
  'code-start',
  'code',
  'code-end',
  'tool-start',
  'tool-output',
  'tool-end',
  'termination',
  'events-dropped',
])

function callText({ name, input }: ToolCall): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  return `calls ${name}(${text ?? ''})`
}

function responseText({ name, content }: ToolResponse): string {
  return `${name}: ${content}`
}
