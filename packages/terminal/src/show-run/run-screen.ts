import { type AgentEvent, autoGenClass, type EventOf, type Message, textOf, type Usage } from '@fenced/agents'
import type { CodeBlock, ExecutionEvent } from '@fenced/core'
import { callText, fallbackText } from '../console/task-format.ts'
import type { Theme } from '../console/theme.ts'
import { ActiveChats } from './active-chats.ts'
import { headOf, RunPage } from './run-page.ts'
import { summaryText } from './summary.ts'

/** What happens in a conversation, in a task, or while an executor runs blocks. */
export type RunEvent = AgentEvent | ExecutionEvent

const noAgent = ''

export class RunScreen {
  readonly #page = new RunPage()
  readonly #chats = new ActiveChats()
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

  text(event: RunEvent, theme: Theme): string {
    return isOfAgent(event) ? this.#agentText(event, theme) : this.#executionText(event, theme)
  }

  /** Ends the line at hand. */
  interrupt(): string {
    return this.#page.interrupt()
  }

  summary(theme: Theme): string {
    return summaryText(this.#page.programs.all, { reason: this.#reason, ...this.#tokens }, theme)
  }

  #agentText(event: AgentEvent, theme: Theme): string {
    this.#chats.follow(event)
    const { agent } = event
    switch (event.type) {
      case 'task-end':
        this.#reason = event.result.stopReason ?? ''
        return this.#page.interrupt()
      case 'response':
        this.#reason = event.response.stopReason ?? ''
        return this.#taskMessage(event.response.message, theme)
      case 'termination':
        this.#reason = event.reason
        return ''
      case 'message':
        return event.recipient === undefined
          ? this.#taskMessage(event.message, theme)
          : this.#chatMessage(event, theme)
      case 'text-delta':
        return this.#deltaText(event, theme)
      case 'model-fallback':
        return this.#page.note(fallbackText(event), theme)
      case 'usage':
        this.#count(event.usage)
        return ''
      case 'thought':
        // In a conversation, the notice is for the reader of the events.
        return this.#chats.isEmpty ? this.#page.note(event.content, theme) : ''
      case 'code-generated':
        return this.#generated(event, theme)
      case 'human-input-requested':
        return this.#page.question()
      case 'human-input-answered':
        this.#typed.set(agent, event.text)
        return ''
      case 'approval-requested':
        return this.#page.asked(agent, event.request, theme)
      case 'approval-answered':
        return this.#page.answered(event, theme)
      case 'code-start':
        return this.#page.beginRun(agent, event.blocks, theme)
      case 'code-skipped':
        return this.#page.note(skippedText(event), theme)
      case 'code':
        return this.#page.execution(agent, event.event, theme)
      case 'code-end':
        this.#ran.set(agent, event.content)
        return this.#page.endRun(agent, event.result, theme)
      case 'tool-start':
        return this.#page.note(`calls ${callText(event.call)}`, theme)
      case 'tool-end':
        return this.#page.note(`${event.response.name}: ${event.response.content}`, theme)
      case 'notice':
        return event.notice.code === 'answer-cut'
          ? this.#page.noteWithin(event.notice.message, theme)
          : this.#page.note(event.notice.message, theme)
      case 'events-dropped':
        return this.#page.note(`${event.count} events are missing here: they were not read in time.`, theme)
      default:
        return ''
    }
  }

  #executionText(event: ExecutionEvent, theme: Theme): string {
    if (event.type !== 'execution-end') return this.#page.execution(noAgent, event, theme)
    this.#page.addUnreached(noAgent, this.#blocks)
    return this.#page.endRun(noAgent, event.result, theme)
  }

  #deltaText({ agent, text }: EventOf<'text-delta'>, theme: Theme): string {
    if (this.#chats.isEmpty) return this.#page.piece(headOf(agent, undefined, theme), text, theme)
    const partner = this.#chats.partnerOf(agent)
    // A summary is part of the result, and no agent of the conversation gets it.
    return partner === undefined ? '' : this.#page.piece(headOf(agent, partner, theme), text, theme)
  }

  #chatMessage({ agent, recipient, message }: EventOf<'message'>, theme: Theme): string {
    const text = textOf(message)
    const output = this.#ran.get(agent)
    this.#ran.delete(agent)
    const typed = this.#typed.get(agent)
    this.#typed.delete(agent)
    if (output !== undefined && /^exitcode: \d+ /.test(text)) return this.#page.interrupt()
    if (this.#isTyped && typed !== undefined && typed !== '' && typed === text) return ''
    // What tools answered was shown when they did.
    if (message.role === 'tool') return this.#page.interrupt()
    return this.#page.message(headOf(agent, recipient, theme), text, theme)
  }

  #taskMessage(message: Message, theme: Theme): string {
    const { source } = message
    const content = textOf(message)
    const ran = this.#ran.get(source)
    this.#ran.delete(source)
    // What tools answered was shown when they did.
    if (autoGenClass(message) === 'ToolCallSummaryMessage') return ''
    if (ran !== undefined && ran === content) return this.#page.interrupt()
    return this.#page.message(headOf(source, undefined, theme), content, theme)
  }

  #generated({ agent, content, plan }: EventOf<'code-generated'>, theme: Theme): string {
    const head = headOf(agent, undefined, theme)
    if (plan === undefined) return this.#page.message(head, content, theme)
    return this.#page.message(`${head}${theme.paint('dim', ' plans another try')}`, plan.correction, theme)
  }

  #count({ inputTokens, outputTokens }: Usage): void {
    this.#tokens.inputTokens += inputTokens
    this.#tokens.outputTokens += outputTokens
  }
}

function skippedText({ ranBy, blocks }: EventOf<'code-skipped'>): string {
  const places = blocks.map(({ line }) => (line === undefined ? '' : ` in line ${line}`))
  return places.map((place) => `The program${place} was not run again: ${ranBy} ran it.`).join('\n')
}

function isOfAgent(event: RunEvent): event is AgentEvent {
  return 'agent' in event
}
