import { randomUUID } from 'node:crypto'
import { type AgentEvent, type EventOf, textOf } from '@fenced/agents'
import type { CodeBlock, Notice } from '@fenced/core'
import type { ConversationEvent } from '../event.ts'
import { RunRecorder } from './run-recorder.ts'
import { TextPieces } from './text-pieces.ts'

/** An answer as the log has it. */
export interface LastAnswer {
  readonly id: string
  readonly text: string
}

interface RecorderParts {
  /** Names the speaker of an answer. */
  readonly speakerOf: (agent: string) => Pick<Answer['start'], 'model' | 'agent'>
  /** Names of the tools that programs can call, and whether runs can be undone. */
  readonly facts: Pick<Extract<ConversationEvent, { type: 'code-start' }>, 'tools' | 'canUndo'>
  readonly append: (event: ConversationEvent) => void
}

type Answer = {
  readonly start: Extract<ConversationEvent, { type: 'answer-start' }>
  readonly pieces: TextPieces
  /** What the log has of it. */
  text: string
  isReasoning: boolean
  /** Whether a part of it was left out later, because it had been cut off. */
  isCut: boolean
}

/**
 * Writes the events of agents into the log of the page. What ends something is written together with what follows it: the next event, a
 * question, or the state of the agents. So a server that is killed has either both, or does it again.
 */
export class AgentRecorder {
  readonly #parts: RecorderParts
  readonly #held: ConversationEvent[] = []
  readonly #answers = new Map<string, Answer>()
  readonly #runs = new Map<string, RunRecorder>()
  /** The blocks that each agent is about to run. */
  readonly #blocks = new Map<string, readonly CodeBlock[]>()
  #last: LastAnswer
  /** By how many lines the text of the last answer is longer than what the agent remembers. */
  #moreLines = 0
  /** The last result of a program. */
  #result = ''
  /** What the first run says. */
  #notice: Notice | undefined

  /** @param last - the last answer in the log: an agent that continues may be about to run its code. */
  constructor(parts: RecorderParts, { last, notice }: { last: LastAnswer; notice: Notice | undefined }) {
    this.#parts = parts
    this.#last = last
    this.#notice = notice
  }

  take(event: AgentEvent): void {
    const { agent } = event
    switch (event.type) {
      case 'text-delta':
        this.#say(agent, event.text, false)
        break
      case 'reasoning-delta':
        this.#say(agent, event.text, true)
        break
      case 'model-fallback':
        this.#restart(agent)
        break
      case 'code-generated':
        this.#endAnswer(agent, { content: event.content })
        this.#blocks.set(agent, event.codeBlocks)
        break
      case 'tool-calls':
        this.#endAnswer(agent)
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

  /** Writes that a run begins, where a question about it is asked. Returns its id; empty for a question that is not about a run. */
  beginRun(agent: string, blocks: readonly CodeBlock[]): string {
    return this.#begun(agent, blocks).runId
  }

  /** The run that is going on, if any. */
  get runId(): string {
    return [...this.#runs.values()].at(-1)?.runId ?? ''
  }

  /** Returns what has not been written: it belongs to what happens next. */
  takeHeld(): ConversationEvent[] {
    for (const run of this.#runs.values()) run.flush()
    return this.#held.splice(0)
  }

  /** Ends what is open, because the agents have ended. */
  end(status: 'cancelled' | 'interrupted'): void {
    for (const agent of [...this.#answers.keys()]) this.#endAnswer(agent, { isComplete: false })
    for (const agent of [...this.#runs.keys()])
      this.#endRun(agent, { result: { status, exitCode: 1, durationMs: 0 }, content: '' })
    this.#write()
  }

  #write(...events: readonly ConversationEvent[]): void {
    for (const event of [...this.#held.splice(0), ...events]) this.#parts.append(event)
  }

  #say(agent: string, piece: string, isReasoning: boolean): void {
    const answer = this.#answers.get(agent) ?? this.#startAnswer(agent)
    // The page folds what is between these tags.
    const tag = isReasoning === answer.isReasoning ? '' : isReasoning ? '<think>\n' : '\n</think>\n\n'
    answer.isReasoning = isReasoning
    answer.text += tag + piece
    answer.pieces.add(tag + piece)
  }

  #startAnswer(agent: string): Answer {
    const answerId = randomUUID()
    const start = { type: 'answer-start', answerId, ...this.#parts.speakerOf(agent) } as const
    const pieces = new TextPieces((text) => this.#write({ type: 'text-delta', answerId, text }))
    const answer = { start, pieces, text: '', isReasoning: false, isCut: false }
    this.#answers.set(agent, answer)
    this.#write(start)
    return answer
  }

  /** Another model answers: what the first one said no longer counts. */
  #restart(agent: string): void {
    const answer = this.#answers.get(agent)
    if (answer === undefined) return
    answer.pieces.flush()
    answer.text = ''
  }

  /** @param content - what the agent says in the end, as it remembers it. @default what was shown */
  #endAnswer(
    agent: string,
    {
      content,
      isComplete = true,
      isCut = false,
    }: { content?: string; isComplete?: boolean; isCut?: boolean } = {},
  ): void {
    const open = this.#answers.get(agent)
    if (open === undefined && (content === undefined || content === '')) return
    // An agent that continues says again what it said before its question.
    const isSaidAgain = open === undefined && this.#last.text.trimEnd().endsWith(content?.trimEnd() ?? '')
    if (!isSaidAgain) this.#writeEnd(agent, open ?? this.#startAnswer(agent), { content, isComplete, isCut })
    const { text } = this.#last
    this.#moreLines = content === undefined ? 0 : linesAbove(content, text)
  }

  #writeEnd(
    agent: string,
    { start, pieces, text: shown, isCut: wasCut }: Answer,
    { content, isComplete, isCut }: { content: string | undefined; isComplete: boolean; isCut: boolean },
  ): void {
    this.#answers.delete(agent)
    if (shown === '' && content !== undefined) pieces.add(content)
    pieces.flush()
    const isShown =
      content === undefined ||
      shown === '' ||
      (wasCut ? shown === content : shown.trimEnd().endsWith(content.trimEnd()))
    const { answerId } = start
    this.#held.push({
      ...{ type: 'answer-end', answerId, complete: isComplete },
      ...(isShown ? {} : { text: content }),
      ...(isCut ? { isCut } : {}),
    })
    this.#last = { id: answerId, text: isShown && shown !== '' ? shown : (content ?? '') }
  }

  #takeMessage({ agent, message }: EventOf<'message'>): void {
    if (message.role !== 'assistant') return
    const text = textOf(message)
    // The card of the program shows it.
    if (message.origin === 'program' && this.#result !== '' && text.startsWith(this.#result.trim())) return
    this.#endAnswer(agent, { content: text, isCut: message.metadata?.isCut === true })
  }

  #takeTool(event: EventOf<'tool-start'> | EventOf<'tool-end'>): void {
    const { agent, call } = event
    if (event.type === 'tool-start') {
      this.#endAnswer(agent)
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
          this.#begun(agent, this.#blocks.get(agent) ?? []).take(event.event)
        break
      case 'code-end': {
        const { status, exitCode, durationMs } = event.result
        this.#result = event.content
        this.#endRun(agent, { result: { status, exitCode, durationMs }, content: event.content })
        break
      }
      case 'notice':
        this.#takeNotice(event)
        break
    }
  }

  #takeNotice({ agent, notice }: EventOf<'notice'>): void {
    // The model is asked for another answer then.
    if (notice.code === 'not-run') this.#endAnswer(agent)
    const answer = this.#answers.get(agent)
    if (notice.code === 'answer-cut' && answer !== undefined) answer.isCut = true
    const run = this.#runs.get(agent)
    if (run === undefined) this.#write({ type: 'notice', notice })
    else run.record({ type: 'notice', notice })
  }

  #begun(agent: string, blocks: readonly CodeBlock[]): RunRecorder {
    const known = this.#runs.get(agent)
    if (known !== undefined) return known
    const runId = randomUUID()
    const shown = blocks.map((block) =>
      block.line === undefined ? block : { ...block, line: block.line + this.#moreLines },
    )
    this.#held.push({ type: 'code-start', runId, of: this.#last.id, blocks: shown, ...this.#parts.facts })
    if (this.#notice !== undefined)
      this.#held.push({ type: 'code', runId, event: { type: 'notice', notice: this.#notice } })
    this.#notice = undefined
    const run = new RunRecorder({ runId, append: (event) => this.#write(event) })
    this.#runs.set(agent, run)
    return run
  }

  #endRun(
    agent: string,
    end: Pick<Extract<ConversationEvent, { type: 'code-end' }>, 'result' | 'content'>,
  ): void {
    const run = this.#runs.get(agent)
    if (run === undefined) return
    run.flush()
    this.#runs.delete(agent)
    this.#held.push({ type: 'code-end', runId: run.runId, ...end })
  }
}

/** How many lines of a text are above its end. */
function linesAbove(end: string, text: string): number {
  const at = text.trimEnd().lastIndexOf(end.trimEnd())
  return at <= 0 ? 0 : text.slice(0, at).split('\n').length - 1
}
