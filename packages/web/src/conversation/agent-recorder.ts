import { randomUUID } from 'node:crypto'
import { type AgentEvent, type EventOf, textOf } from '@fenced/agents'
import type { CodeBlock, Notice } from '@fenced/core'
import type { ConversationEvent, RunResult } from '../event.ts'
import { AnswerRecorder, type LastAnswer, type SpeakerOf } from './answer-recorder.ts'
import { RunRecorder } from './run-recorder.ts'

type EndOfRun = Pick<Extract<ConversationEvent, { type: 'code-end' }>, 'result' | 'content'>

interface RecorderParts {
  /** Names the speaker of an answer. */
  readonly speakerOf: SpeakerOf
  /** Names of the tools that programs can call, whether runs can be undone, and the run that a person repeats. */
  readonly facts: Pick<Extract<ConversationEvent, { type: 'code-start' }>, 'tools' | 'canUndo' | 'repeats'>
  readonly append: (event: ConversationEvent) => void
}

/**
 * Writes the events of agents into the log of the page. What ends something is written together with what follows it: the next event, a
 * question, or the state of the agents. So a server that is killed has either both, or does it again.
 */
export class AgentRecorder {
  readonly #parts: RecorderParts
  readonly #held: ConversationEvent[] = []
  readonly #answers: AnswerRecorder
  readonly #runs = new Map<string, RunRecorder>()
  /** The blocks that each agent is about to run. */
  readonly #blocks = new Map<string, readonly CodeBlock[]>()
  /** The last result of a program. */
  #result = ''
  /** What the first run says. */
  #notice: Notice | undefined

  /** @param last - the last answer in the log: an agent that continues may be about to run its code. */
  constructor(parts: RecorderParts, { last, notice }: { last: LastAnswer; notice: Notice | undefined }) {
    this.#parts = parts
    this.#notice = notice
    const { speakerOf } = parts
    const append = (event: ConversationEvent) => this.#write(event)
    this.#answers = new AnswerRecorder({ speakerOf, append, hold: (end) => this.#held.push(end) }, last)
  }

  take(event: AgentEvent): void {
    const { agent } = event
    switch (event.type) {
      case 'text-delta':
        this.#answers.say(agent, event.text)
        break
      case 'reasoning-delta':
        this.#answers.say(agent, event.text, { isReasoning: true })
        break
      case 'model-fallback':
        this.#answers.restart(agent)
        break
      case 'code-generated':
        this.#answers.end(agent, { content: event.content })
        this.#blocks.set(agent, event.codeBlocks)
        break
      case 'tool-calls':
        this.#answers.end(agent)
        break
      case 'message':
        this.#takeMessage(event)
        break
      case 'tool-start':
      case 'tool-end':
        this.#takeTool(event)
        break
      default:
        this.#takeCode(event)
    }
  }

  /** The id of the run that has begun; empty without one. */
  get runId(): string {
    return [...this.#runs.values()].at(-1)?.runId ?? ''
  }

  /** Returns what has not been written: it belongs to what happens next. */
  takeHeld(): ConversationEvent[] {
    for (const run of this.#runs.values()) run.flush()
    return this.#held.splice(0)
  }

  /** Writes a question about the open run. Returns the id of the run. */
  ask(question: (runId: string) => readonly ConversationEvent[]): string {
    const { runId } = this
    for (const event of [...this.takeHeld(), ...question(runId)]) this.#parts.append(event)
    return runId
  }

  /** Ends what is open, because the agents have ended. */
  end(status: 'cancelled' | 'interrupted'): void {
    this.#answers.endAll()
    for (const agent of [...this.#runs.keys()]) this.endRun(agent, { result: endedRun(status), content: '' })
    this.#write()
  }

  #write(...events: readonly ConversationEvent[]): void {
    for (const event of [...this.#held.splice(0), ...events]) this.#parts.append(event)
  }

  #takeMessage({ agent, message }: EventOf<'message'>): void {
    if (message.role !== 'assistant') return
    const text = textOf(message)
    // The card of the program shows it.
    if (message.origin === 'program' && this.#result !== '' && text.startsWith(this.#result.trim())) return
    this.#answers.end(agent, { content: text, isCut: message.metadata?.isCut === true })
  }

  #takeTool(event: EventOf<'tool-start'> | EventOf<'tool-end'>): void {
    const { agent, call } = event
    if (event.type === 'tool-start') {
      this.#answers.end(agent)
      this.#write({ type: 'tool-start', callId: call.id, agent, tool: call.name, input: call.input })
      return
    }
    const { content, isError = false } = event.response
    this.#held.push({ type: 'tool-end', callId: call.id, content, isError })
  }

  #takeCode(event: AgentEvent): void {
    const { agent } = event
    switch (event.type) {
      case 'code-start':
        this.#blocks.set(agent, event.blocks)
        break
      case 'code':
        if (event.event.type === 'block-start' || this.#runs.has(agent))
          this.beginRun(agent, this.#blocks.get(agent) ?? []).take(event.event)
        break
      case 'code-end': {
        const { status, exitCode, durationMs } = event.result
        this.#result = event.content
        this.endRun(agent, { result: { status, exitCode, durationMs }, content: event.content })
        break
      }
      case 'notice':
        this.#takeNotice(event)
        break
    }
  }

  #takeNotice({ agent, notice }: EventOf<'notice'>): void {
    // The model then gives another answer.
    if (notice.code === 'not-run') this.#answers.end(agent)
    if (notice.code === 'answer-cut') this.#answers.cut(agent)
    const run = this.#runs.get(agent)
    if (run === undefined) this.#write({ type: 'notice', notice })
    else run.record({ type: 'notice', notice })
  }

  /** Begins a run, unless the agent has one that is open. It is written with the next event. */
  beginRun(agent: string, blocks: readonly CodeBlock[]): RunRecorder {
    const known = this.#runs.get(agent)
    if (known !== undefined) return known
    const runId = randomUUID()
    const { id: of, moreLines } = this.#answers.last
    const shown = blocks.map((block) =>
      block.line === undefined ? block : { ...block, line: block.line + moreLines },
    )
    this.#held.push({ type: 'code-start', runId, of, blocks: shown, ...this.#parts.facts })
    if (this.#notice !== undefined)
      this.#held.push({ type: 'code', runId, event: { type: 'notice', notice: this.#notice } })
    this.#notice = undefined
    const run = new RunRecorder({ runId, append: (event) => this.#write(event) })
    this.#runs.set(agent, run)
    return run
  }

  /** Ends a run. It is written with the next event. */
  endRun(agent: string, end: EndOfRun): void {
    const run = this.#runs.get(agent)
    if (run === undefined) return
    run.flush()
    this.#runs.delete(agent)
    this.#held.push({ type: 'code-end', runId: run.runId, ...end })
  }
}

/** The result of a run that did not come to its end. An interrupted run is repeated, and so is its question. */
export function endedRun(status: 'cancelled' | 'interrupted'): RunResult {
  return { status, exitCode: 1, durationMs: 0 }
}
