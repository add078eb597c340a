import type { Look } from '../console/look.ts'
import { Margin, programOutput, ShownOutput } from '../console/program-output.ts'
import { visible } from '../console/visible.ts'
import {
  type AgentEvent,
  type AgentMessage,
  type CodeOutputEvent,
  isMessage,
  type ModelClientStreamingChunkEvent,
} from '../task/agent-message.ts'
import type { Response, TaskResult } from '../task/chat-agent.ts'
import { itemText, type WholeItem } from './item-text.ts'
import { TaskStatistics, usageText } from './task-statistics.ts'

/** Options of {@link TaskTranscript}. */
export interface TaskTranscriptOptions {
  /** Shows words and output while they come. */
  readonly live: boolean
  readonly showStatistics: boolean
}

/** What is iterated of a task or an answer, without what stands where events were left out. */
export type TaskViewItem = AgentMessage | AgentEvent | TaskResult | Response

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
  #open: { readonly source: string; readonly type: string } | undefined

  constructor(options: TaskTranscriptOptions) {
    this.#options = options
  }

  text(item: TaskViewItem, look: Look): string {
    switch (item.type) {
      case 'TaskResult':
        return this.#end(look, item)
      case 'Response':
        return `${this.text(item.message, look)}${this.#end(look)}`
      case 'ModelClientStreamingChunkEvent':
        return this.#options.live ? this.#chunkText(item, look) : ''
      case 'CodeOutputEvent':
        return this.#options.live ? this.#outputText(item, look) : ''
      default:
        this.#statistics.add(item)
        return `${this.#wholeText(item, look)}${this.#options.showStatistics ? usageText(item) : ''}`
    }
  }

  /** Ends the line at hand. */
  interrupt(): string {
    const isChunk = this.#open?.type === 'ModelClientStreamingChunkEvent'
    this.#open = undefined
    return `${this.#margin.end()}${isChunk ? '\n' : ''}`
  }

  #chunkText(chunk: ModelClientStreamingChunkEvent, look: Look): string {
    const head = this.#openText(chunk, look)
    if (head !== '') this.#shown.delete(chunk.source)
    // What a model says of an output is not the output.
    this.#runs.delete(chunk.source)
    this.#shown.set(chunk.source, `${this.#shown.get(chunk.source) ?? ''}${chunk.content}`)
    return `${head}${visible(chunk.content)}`
  }

  #outputText(item: CodeOutputEvent, look: Look): string {
    const output = programOutput(item.event)
    if (output === undefined) return ''
    const { margin, text, isWhole } = output
    const run = this.#runs.get(item.source) ?? new ShownOutput()
    this.#runs.set(item.source, run)
    const head = this.#openText(item, look)
    if (!isWhole) {
      run.addText(text)
      return `${head}${this.#margin.add(margin, text)}`
    }
    run.addLines(text)
    return `${head}${this.#margin.end()}${this.#margin.add(margin, `${text}\n`)}`
  }

  /** The head above pieces, unless they stand under it already. */
  #openText({ type, source }: CodeOutputEvent | ModelClientStreamingChunkEvent, look: Look): string {
    if (this.#open?.source === source && this.#open.type === type) return ''
    const end = this.interrupt()
    this.#open = { type, source }
    return `${end}${headText(type, source, look)}`
  }

  #wholeText(item: WholeItem, look: Look): string {
    const { source, type } = item
    if (type === 'NoticeEvent' && item.notice.code === 'model-fallback') this.#shown.delete(source)
    const text = itemText(item)
    const end = this.interrupt()
    if (text === undefined) return end
    const isRepeated =
      this.#options.live && 'content' in item && this.#shown.get(source)?.trim() === text.trim()
    const run = this.#runs.get(source)
    if (item.type === 'CodeExecutionEvent') {
      // What comes next is the agent's message, also where it says the same.
      this.#shown.delete(source)
      if (run !== undefined) run.output = item.result.output
    } else if ('content' in item) this.#shown.set(source, text)
    const isOutput = isMessage(item) && run !== undefined && text.trim() === run.output.trim()
    if (isMessage(item)) {
      this.#runs.delete(source)
      this.#shown.delete(source)
    }
    if (isRepeated) return end
    return `${end}${headText(type, source, look)}${visible(isOutput ? text : (run?.removeFrom(text) ?? text))}\n`
  }

  #end(look: Look, result?: TaskResult): string {
    const end = this.interrupt()
    if (!this.#options.showStatistics) return end
    return `${end}${lineText('Summary', look)}${visible(this.#statistics.text(result))}\n`
  }
}

function headText(type: string, source: string, look: Look): string {
  return lineText(`${type} (${visible(source)})`, look)
}

function lineText(title: string, { paint }: Look): string {
  return `${paint('yellow', `---------- ${title} ----------`)}\n`
}
