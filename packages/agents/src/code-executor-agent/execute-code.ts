import { type CodeBlock, type CodeExecutor, FencedError } from '@fenced/core'
import { notRun } from '@fenced/core/internal'
import { type RanInTurn, runCode } from '../running/run-code.ts'
import type { RunContext } from '../running/run-with-events.ts'
import type { AgentItem } from '../task/agent-item.ts'
import { type CodeOutputEvent, made, type NoticeEvent } from '../task/agent-message.ts'

export interface AttemptToRun {
  readonly source: string
  readonly executor: CodeExecutor
  readonly blocks: readonly CodeBlock[]
  readonly retryAttempt: number
}

/** Runs code and tells what the executor tells. An executor that fails is a result, and a notice. */
export async function executeCode(
  { source, executor, blocks, retryAttempt }: AttemptToRun,
  { signal, emit }: RunContext<AgentItem>,
): Promise<RanInTurn> {
  try {
    return await runCode({
      executor,
      blocks,
      signal,
      onEvent: (event) =>
        emit(made<CodeOutputEvent>({ type: 'CodeOutputEvent', source, retryAttempt, event })),
    })
  } catch (error) {
    signal.throwIfAborted()
    const message = error instanceof Error ? error.message : String(error)
    const known = FencedError.isInstance(error) ? error : undefined
    const notice = { code: known?.code ?? 'EXECUTOR_FAILED', message }
    await emit(made<NoticeEvent>({ type: 'NoticeEvent', source, notice }))
    const output = `${known?.result?.output ?? ''}The code could not be run: ${message}\n`
    return { result: { ...(known?.result ?? notRun(executor, 'died', output)), output } }
  }
}
