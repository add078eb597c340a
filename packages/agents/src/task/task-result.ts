import type { OutputFile } from '@fenced/core'
import { UsageMeter } from '../model/usage.ts'
import { type AgentEvent, type AgentMessage, isMessage } from './agent-message.ts'
import type { TaskResult } from './chat-agent.ts'

/** What is known of a task when it ends. */
interface EndedTask extends Pick<TaskResult, 'status' | 'messages' | 'stopReason'> {
  /** The messages of the task itself. */
  readonly task: readonly AgentMessage[]
}

/** A result, with what follows from its messages: the answer, the files, what the models have used. */
export function taskResult({ task, status, messages, ...why }: EndedTask): TaskResult {
  const answers = messages.filter((item) => !task.some((asked) => asked === item))
  const text = answers.findLast(isMessage)?.content ?? ''
  return {
    type: 'TaskResult',
    status,
    text,
    messages,
    files: filesOf(answers),
    usage: usageOf(answers),
    ...why,
  }
}

/** Each file once, as it was changed last. */
function filesOf(items: readonly (AgentMessage | AgentEvent)[]): OutputFile[] {
  const results = items.flatMap((item) => (item.type === 'CodeExecutionEvent' ? [item.result] : []))
  const files = results.flatMap(({ files }) => files)
  return [...new Map(files.map((file) => [file.path, file])).values()]
}

function usageOf(items: readonly (AgentMessage | AgentEvent)[]): TaskResult['usage'] {
  const meter = new UsageMeter()
  for (const { usage } of items) if (usage !== undefined) meter.addSummary(usage)
  return meter.summary()
}
