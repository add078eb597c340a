import type { Running } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { untilAborted } from '@fenced/shared'
import type { AgentEvent, AgentState, EventInit, Response, TaskResult } from '../event.ts'
import { createMessage, type Message, textOf } from '../message/message.ts'
import { runWithEvents } from '../running/run-with-events.ts'
import { readState } from '../task/agent-state.ts'
import type { ChatAgent, OnMessagesOptions, RunTaskOptions } from '../task/chat-agent.ts'
import { respond, runAgentTask, taskOptions } from '../task/run-task.ts'

type Said = string | Message

/** What a test agent sees of a turn. */
export interface TestTurn {
  /** Counted from 0, over all runs. */
  readonly turn: number
  /** What is new in this turn. */
  readonly heard: readonly Message[]
  readonly signal: AbortSignal
  readonly emit: (event: EventInit) => void | Promise<void>
}

/** What it says in a turn. A list begins again at its end. */
type TestLines = readonly Said[] | ((turn: TestTurn) => Said | Promise<Said>)

/** An agent that says its lines, and keeps what it has heard in each turn. */
export class TestAgent implements ChatAgent {
  readonly name: string
  readonly description = 'An agent for tests.'
  /** What was new in each turn. */
  heard: Message[][] = []
  isAnswering = false
  readonly #lines: TestLines

  constructor(name: string, lines: TestLines = [`${name}'s`]) {
    this.name = name
    this.#lines = lines
  }

  run(task?: string | RunTaskOptions): Running<TaskResult, AgentEvent> {
    const { signal, ...options } = taskOptions(task)
    return runWithEvents((context) => runAgentTask(this, options, context), signal)
  }

  onMessages(
    messages: readonly Message[],
    { signal }: OnMessagesOptions = {},
  ): Running<Response, AgentEvent> {
    return respond(
      this.name,
      async ({ signal, emit }) => {
        if (this.isAnswering) throw new Error(`${this.name} was asked twice at the same time.`)
        this.isAnswering = true
        try {
          const turn = this.heard.push([...messages]) - 1
          const said = await this.#line({ turn, heard: messages, signal, emit })
          signal.throwIfAborted()
          const text = (content: string) =>
            createMessage({ role: 'assistant', source: this.name, origin: 'model', content })
          return { message: typeof said === 'string' ? text(said) : said }
        } finally {
          this.isAnswering = false
        }
      },
      { signal },
    )
  }

  async reset(): Promise<void> {
    this.heard = []
  }

  async saveState(): Promise<AgentState> {
    return { type: 'TestAgent', version: 1, heard: structuredClone(this.heard) }
  }

  async loadState(state: AgentState): Promise<void> {
    const { heard } = readState(stateSchema, state, 'TestAgent')
    this.heard = heard as Message[][]
  }

  async #line(turn: TestTurn): Promise<Said> {
    const lines = this.#lines
    return typeof lines === 'function' ? lines(turn) : (lines[turn.turn % lines.length] ?? '')
  }
}

const stateSchema = z.strictObject({
  type: z.literal('TestAgent'),
  version: z.literal(1),
  heard: z.array(z.array(z.custom<Message>())),
})

/** Waits until it is cancelled. */
export const untilCancelled = ({ signal }: TestTurn): Promise<never> =>
  untilAborted(new Promise<never>(() => {}), signal)

/** Who said what, as `a: text`; of events without a text the type. */
export const saidIn = (said: readonly (Message | AgentEvent)[]): string[] =>
  said.flatMap((one) => {
    if (!('agent' in one)) return `${one.source}: ${textOf(one)}`
    if (['task-start', 'usage', 'code'].includes(one.type)) return []
    if (one.type === 'message') return `${one.agent}: ${textOf(one.message)}`
    return `${one.agent}: ${'content' in one ? one.content : one.type}`
  })

export async function itemsOf<Item>(running: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of running) items.push(item)
  return items
}
