import type { CodeResult } from '@fenced/core'
import {
  type AgentEvent,
  type AgentMessage,
  type CodeExecutionEvent,
  type HandoffMessage,
  made,
  type StopMessage,
  type TextMessage,
  type ThoughtEvent,
  type ToolCallExecutionEvent,
  type ToolCallSummaryMessage,
} from '../task/agent-message.ts'
import type { TerminationCondition } from './termination-condition.ts'

type Item = AgentMessage | AgentEvent

export const text = (source: string, content: string, usage?: TextMessage['usage']): TextMessage =>
  made<TextMessage>({ type: 'TextMessage', source, content, ...(usage === undefined ? {} : { usage }) })
export const stop = (source: string, content = ''): StopMessage =>
  made<StopMessage>({ type: 'StopMessage', source, content })
export const handoff = (source: string, target: string): HandoffMessage =>
  made<HandoffMessage>({ type: 'HandoffMessage', source, target, content: `To ${target}.` })
export const thought = (source: string, content: string): ThoughtEvent =>
  made<ThoughtEvent>({ type: 'ThoughtEvent', source, content })
const results = (name: string) => [{ toolCallId: '1', name, content: '3' }]
export const toolsCalled = (source: string, name: string): ToolCallExecutionEvent =>
  made<ToolCallExecutionEvent>({ type: 'ToolCallExecutionEvent', source, results: results(name) })
export const toolSummary = (source: string, name: string): ToolCallSummaryMessage =>
  made<ToolCallSummaryMessage>({
    type: 'ToolCallSummaryMessage',
    source,
    content: '3',
    toolCalls: [],
    results: results(name),
  })
export const codeRun = (source: string, output: string): CodeExecutionEvent => {
  const isolation = { kind: 'none', network: true, particulars: {} } as const
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
  return made<CodeExecutionEvent>({
    type: 'CodeExecutionEvent',
    source,
    retryAttempt: 0,
    result,
    content: output,
  })
}
export const tokens = (inputTokens: number, outputTokens: number): NonNullable<TextMessage['usage']> => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  byModel: {},
})

/** A run as a team would let a condition watch it. */
export function watch(condition: TerminationCondition, task: readonly AgentMessage[] = []) {
  const over = new AbortController()
  const stopped: string[] = []
  const check = condition.begin({ task, signal: over.signal, stop: (reason) => void stopped.push(reason) })
  return {
    check: async (...items: Item[]) => check(items),
    /** What it gave for each turn, beginning with nothing. */
    turns: async (...turns: Item[][]) => {
      const reasons = [await check([])]
      for (const items of turns) reasons.push(await check(items))
      return reasons
    },
    stopped,
    end: () => over.abort(),
  }
}
