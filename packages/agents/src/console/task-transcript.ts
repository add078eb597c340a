import { type AgentEvent, createEvent, type EventOf, type TaskResult } from '../event.ts'
import { autoGenClass, textOf } from '../message/message.ts'
import type { ToolCall } from '../message/tool-parts.ts'
import { agentMessageOf, said } from '../task/run-task.ts'
import type { Look } from './look.ts'
import { Margin, programOutput, ShownOutput } from './program-output.ts'
import { TaskStatistics, usageText } from './task-statistics.ts'
import { visible } from './visible.ts'

/** Options of {@link TaskTranscript}. */
export interface TaskTranscriptOptions {
  /** Shows words and output while they come. */
  readonly live: boolean
  readonly showStatistics: boolean
}

/**
 * The transcript of a task as AutoGen 0.4 prints it: who and what, and below it the text. What is shown while it comes stands
 * under one head, and is not shown once more when it is whole.
 */
export class TaskTranscript {
  readonly #options: TaskTranscriptOptions
  readonly #statistics = new TaskStatistics()
  readonly #margin = new Margin()
  readonly #runs = new Map<string, ShownOutput>()
  /** By source, what it has shown last: a text that came in pieces, or came whole and may come again. */
  readonly #shown = new Map<string, string>()
  /** What comes in pieces at the moment. */
  #open: { readonly agent: string; readonly type: string } | undefined

  constructor(options: TaskTranscriptOptions) {
    this.#options = options
  }

  text(event: AgentEvent, look: Look): string {
    switch (event.type) {
      case 'task-end':
        return this.#end(look, event.result)
      case 'response':
        return `${this.text(createEvent(said(event.response.message)), look)}${this.#end(look)}`
      case 'text-delta':
        return this.#options.live ? this.#deltaText(event, look) : ''
      case 'code':
        return this.#options.live ? this.#outputText(event, look) : ''
      default: {
        const name = autoGenName(event)
        if (name === undefined) return ''
        const message = agentMessageOf(event)
        this.#statistics.add(message)
        return `${this.#wholeText(event, name, look)}${this.#options.showStatistics ? usageText(message) : ''}`
      }
    }
  }

  /** Ends the line at hand. */
  interrupt(): string {
    const isText = this.#open?.type === 'text-delta'
    this.#open = undefined
    return `${this.#margin.end()}${isText ? '\n' : ''}`
  }

  #deltaText(event: EventOf<'text-delta'>, look: Look): string {
    const { agent, text } = event
    const head = this.#openText(event, look)
    if (head !== '') this.#shown.delete(agent)
    // What a model says of an output is not the output.
    this.#runs.delete(agent)
    this.#shown.set(agent, `${this.#shown.get(agent) ?? ''}${text}`)
    return `${head}${visible(text)}`
  }

  #outputText(event: EventOf<'code'>, look: Look): string {
    const output = programOutput(event.event)
    if (output === undefined) return ''
    const { margin, text, isWhole } = output
    const run = this.#runs.get(event.agent) ?? new ShownOutput()
    this.#runs.set(event.agent, run)
    const head = this.#openText(event, look)
    if (!isWhole) {
      run.addText(text)
      return `${head}${this.#margin.add(margin, text)}`
    }
    run.addLines(text)
    return `${head}${this.#margin.end()}${this.#margin.add(margin, `${text}\n`)}`
  }

  /** The head above pieces, unless they stand under it already. */
  #openText(event: EventOf<'code' | 'text-delta'>, look: Look): string {
    const { type, agent } = event
    if (this.#open?.agent === agent && this.#open.type === type) return ''
    const end = this.interrupt()
    this.#open = { type, agent }
    return `${end}${headText(autoGenName(event) ?? type, agent, look)}`
  }

  #wholeText(event: AgentEvent, name: string, look: Look): string {
    const { agent, type } = event
    if (type === 'model-fallback') this.#shown.delete(agent)
    const text = eventText(event)
    const end = this.interrupt()
    if (text === undefined) return end
    const isMessage = type === 'message'
    const mayRepeat = isMessage || 'content' in event
    const isRepeated = this.#options.live && mayRepeat && this.#shown.get(agent)?.trim() === text.trim()
    const run = this.#runs.get(agent)
    if (type === 'code-end') {
      // What comes next is the agent's message, also where it says the same.
      this.#shown.delete(agent)
      if (run !== undefined) run.output = event.result.output
    } else if (mayRepeat) this.#shown.set(agent, text)
    const isOutput = isMessage && run !== undefined && text.trim() === run.output.trim()
    if (isMessage) {
      this.#runs.delete(agent)
      this.#shown.delete(agent)
    }
    if (isRepeated) return end
    return `${end}${headText(name, agent, look)}${visible(isOutput ? text : (run?.removeFrom(text) ?? text))}\n`
  }

  #end(look: Look, result?: TaskResult): string {
    const end = this.interrupt()
    if (!this.#options.showStatistics) return end
    return `${end}${lineText('Summary', look)}${visible(this.#statistics.text(result))}\n`
  }
}

function headText(name: string, agent: string, look: Look): string {
  return lineText(`${name} (${visible(agent)})`, look)
}

function lineText(title: string, { paint }: Look): string {
  return `${paint('yellow', `---------- ${title} ----------`)}\n`
}

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
function autoGenName(event: AgentEvent): string | undefined {
  if (event.type === 'message') return event.recipient === undefined ? autoGenClass(event.message) : undefined
  return event.type in names ? names[event.type as keyof typeof names] : undefined
}

/** What is shown of an event below its head; `undefined` for questions, which are shown by who asks them, and for all else. */
function eventText(event: AgentEvent): string | undefined {
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
