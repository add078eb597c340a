import {
  type AgentEvent,
  autoGenClass,
  type EventOf,
  type Message,
  type TaskResult,
  type ToolCall,
  textOf,
} from '@fenced/agents'
import { visible, visibleName } from '@fenced/errors/text'
import type { ConsoleFormat, Theme } from './theme.ts'

/** A task as AutoGen 0.4 prints it: who and what, and below it the text. A model's text is shown as it arrives, and only once. */
export class TaskFormat implements ConsoleFormat {
  /** The agent whose text is arriving. */
  #writer: string | undefined
  /** Last text shown of each agent; the whole text may follow. */
  readonly #shown = new Map<string, string>()
  readonly #statistics: TaskStatistics | undefined

  constructor({ showStatistics }: { readonly showStatistics: boolean }) {
    this.#statistics = showStatistics ? new TaskStatistics() : undefined
  }

  text(event: AgentEvent, theme: Theme): string {
    const { agent } = event
    switch (event.type) {
      case 'text-delta':
        return this.#pieceText(event, theme)
      case 'task-end':
        return `${this.end()}${this.#summary(theme, event.result)}`
      case 'response': {
        const { message } = event.response
        const said = { ...event, type: 'message', agent: message.source, message } as const
        return `${this.text(said, theme)}${this.#summary(theme)}`
      }
      case 'code-end':
      case 'model-fallback':
        // The message that follows is another text, even if it says the same.
        this.#shown.delete(agent)
    }
    const [name, text] = autoGenEvent(event) ?? []
    if (name === undefined) return ''
    const message = event.type === 'message' ? event.message : undefined
    this.#statistics?.add(message)
    if (text === undefined) return this.end()
    const isRepeated = this.#repeats(event, text)
    const note = this.#statistics === undefined ? '' : usageText(message)
    return `${this.end()}${isRepeated ? '' : `${headText(name, agent, theme)}${visible(text)}\n`}${note}`
  }

  /** Ends the line of a text that is arriving. */
  end(): string {
    const end = this.#writer === undefined ? '' : '\n'
    this.#writer = undefined
    return end
  }

  #pieceText({ agent, text }: EventOf<'text-delta'>, theme: Theme): string {
    if (text === '') return ''
    const isOpen = this.#writer === agent
    const begin = isOpen ? '' : `${this.end()}${headText('ModelClientStreamingChunkEvent', agent, theme)}`
    this.#writer = agent
    this.#shown.set(agent, `${isOpen ? this.#shown.get(agent) : ''}${text}`)
    return `${begin}${visible(text)}`
  }

  /** Whether a text of an agent is the text that was shown last. */
  #repeats(event: AgentEvent, text: string): boolean {
    const { type, agent } = event
    const isRepeated = this.#shown.get(agent)?.trim() === text.trim()
    if (type === 'message') this.#shown.delete(agent)
    else if (type === 'code-end' || !('content' in event)) return false
    else this.#shown.set(agent, text)
    return isRepeated
  }

  #summary(theme: Theme, result?: TaskResult): string {
    if (this.#statistics === undefined) return ''
    return `${lineText('Summary', theme)}${visible(this.#statistics.text(result))}\n`
  }
}

function headText(name: string, agent: string, theme: Theme): string {
  return lineText(`${name} (${visibleName(agent)})`, theme)
}

function lineText(title: string, { paint }: Theme): string {
  return `${paint('yellow', `---------- ${title} ----------`)}\n`
}

/** AutoGen 0.4's name of an event, and its text; no text for questions, which `HumanInput` shows. */
function autoGenEvent(event: AgentEvent): readonly [name: string, text?: string] | undefined {
  switch (event.type) {
    case 'message':
      if (event.recipient !== undefined) return undefined
      return [autoGenClass(event.message), textOf(event.message)]
    case 'thought':
      return ['ThoughtEvent', event.content]
    case 'code-generated':
      return ['CodeGenerationEvent', event.content]
    case 'code-end':
      return ['CodeExecutionEvent', event.content]
    case 'approval-requested':
      return ['ApprovalRequestedEvent']
    case 'approval-answered':
      return ['ApprovalAnsweredEvent', answerText(event)]
    case 'human-input-requested':
      return ['UserInputRequestedEvent']
    case 'tool-calls':
      return ['ToolCallRequestEvent', event.toolCalls.map(callText).join('\n')]
    case 'tool-results':
      return [
        'ToolCallExecutionEvent',
        event.results.map(({ name, content }) => `${name}: ${content}`).join('\n'),
      ]
    case 'speaker-selected':
      return ['SelectSpeakerEvent', event.speakers.join(', ')]
    case 'notice':
      return ['NoticeEvent', event.notice.message]
    case 'model-fallback':
      return ['NoticeEvent', fallbackText(event)]
    default:
      return undefined
  }
}

export function fallbackText({ modelId, nextModelId, message }: EventOf<'model-fallback'>): string {
  return `${modelId} failed; using ${nextModelId}: ${message}`
}

/** `name({"x":1})`; arguments that are not JSON are shown as they are. */
export function callText({ name, input }: ToolCall): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  return `${name}(${text ?? ''})`
}

function answerText({ answer, remembered }: EventOf<'approval-answered'>): string {
  const { decision, reason } = { reason: undefined, ...answer }
  return `${decision}${reason === undefined ? '' : `: ${reason}`}${remembered ? ' (an earlier answer holds)' : ''}`
}

class TaskStatistics {
  readonly #begin = performance.now()
  #messages = 0
  #inputTokens = 0
  #outputTokens = 0

  /** @param message - what was said; nothing for an event. */
  add(message?: Message): void {
    this.#messages++
    this.#inputTokens += message?.metadata?.usage?.inputTokens ?? 0
    this.#outputTokens += message?.metadata?.usage?.outputTokens ?? 0
  }

  text({ status, stopReason }: Partial<Pick<TaskResult, 'status' | 'stopReason'>> = {}): string {
    const seconds = (performance.now() - this.#begin) / 1000
    return [
      `Number of messages: ${this.#messages}`,
      `Finish reason: ${stopReason ?? status ?? 'done'}`,
      `Total prompt tokens: ${this.#inputTokens}`,
      `Total completion tokens: ${this.#outputTokens}`,
      `Duration: ${seconds.toFixed(2)} seconds`,
    ].join('\n')
  }
}

/** What stands below one message; empty where no model was asked for it. */
function usageText({ metadata }: Pick<Message, 'metadata'> = {}): string {
  const usage = metadata?.usage
  if (usage === undefined) return ''
  return `[Prompt tokens: ${usage.inputTokens}, Completion tokens: ${usage.outputTokens}]\n`
}
