import type { CodeResult } from '@fenced/core'
import { type AgentEvent, createEvent, type EventInit, type EventOf } from '../event.ts'
import { createMessage, type Message } from '../message/message.ts'
import { answering } from '../message/messages.fixture.ts'
import { said } from '../task/run-task.ts'
import type { UsageSummary } from '../usage.ts'
import type { TerminationCondition } from './termination.ts'

/** A message as one agent says it, or an event. */
export type Told = Message | EventInit

export const eventOf = (told: Told): AgentEvent => createEvent('agent' in told ? told : said(told))

export const text = (source: string, content: string, usage?: UsageSummary): Message =>
  createMessage({
    role: 'assistant',
    source,
    origin: 'model',
    content,
    ...(usage === undefined ? {} : { metadata: { usage } }),
  })
export const stop = (source: string, content = ''): Message =>
  createMessage({ role: 'assistant', source, origin: 'model', content, metadata: { stop: true } })
export const handoff = (source: string, target: string): Message =>
  createMessage({
    role: 'assistant',
    source,
    origin: 'model',
    content: `To ${target}.`,
    metadata: { handoff: target },
  })
export const thought = (agent: string, content: string): AgentEvent =>
  createEvent({ type: 'thought', agent, content })
const results = (name: string) => [{ toolCallId: '1', name, content: '3' }]
export const toolsCalled = (agent: string, name: string): AgentEvent =>
  createEvent({ type: 'tool-results', agent, results: results(name) })
export const toolSummary = (source: string, name: string): Message =>
  createMessage({ ...answering(...results(name)), source, origin: 'program' })
export const codeRun = (agent: string, output: string): EventOf<'code-end'> => {
  const isolation = { kind: 'none', network: 'open', particulars: {} } as const
  const result: CodeResult = {
    status: 'ok',
    exitCode: 0,
    output,
    blocks: [],
    files: [],
    durationMs: 1,
    queuedMs: 0,
    isolation,
  }
  return createEvent({ type: 'code-end', agent, retryAttempt: 0, result, content: output })
}
export const tokens = (inputTokens: number, outputTokens: number): UsageSummary => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  byModel: {},
})

/** A run as a team would let a condition watch it. */
export function watch(condition: TerminationCondition, task: readonly Message[] = []) {
  const over = new AbortController()
  const stopped: string[] = []
  const check = condition.begin({ task, signal: over.signal, stop: (reason) => void stopped.push(reason) })
  return {
    check: async (...told: Told[]) => check(told.map(eventOf)),
    /** What it gave for each turn, beginning with nothing. */
    turns: async (...turns: Told[][]) => {
      const reasons = [await check([])]
      for (const told of turns) reasons.push(await check(told.map(eventOf)))
      return reasons
    },
    stopped,
    end: () => over.abort(),
  }
}
