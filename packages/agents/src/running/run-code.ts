import {
  type ApprovalRequest,
  type AskOptions,
  type CodeBlock,
  type CodeExecutor,
  type CodeResult,
  type ExecutionEvent,
  FencedError,
  type HostToolOptions,
  type Notice,
} from '@fenced/core'
import { type AboutCode, executeAbout } from '@fenced/core/internal'
import { errorMessage } from '@fenced/errors'
import { untilAborted } from '@fenced/shared'
import type { ApprovalChoice } from '../event.ts'
import { dataOf } from './error-notice.ts'
import type { RunContext } from './run-with-events.ts'

interface CodeToRun {
  readonly executor: CodeExecutor
  readonly blocks: readonly CodeBlock[]
  readonly signal: AbortSignal
  /** For the approver. */
  readonly about?: AboutCode | undefined
  /** What its programs can call. */
  readonly tools?: HostToolOptions | undefined
  /** What its programs ask meanwhile. */
  readonly questions?: AskOptions | undefined
  /** Called with all events but the last, which is the result. */
  readonly onEvent: (event: ExecutionEvent) => void | Promise<void>
}

export interface RanInTurn {
  readonly result: CodeResult
  /** What a model has to read as well where the executor has died: its variables are lost. */
  readonly stateLost?: string
}

/**
 * Runs code for an agent. If an executor with variables has died, restarts it, so that the next block can run. If it had died
 * earlier, the code runs in the restarted executor.
 */
export async function runCode(code: CodeToRun): Promise<RanInTurn> {
  const { executor, signal } = code
  try {
    const result = await execute(code)
    if (result.status !== 'died' || executor.capabilities.stateful.length === 0) return { result }
    return { result, stateLost: await makeNew(code) }
  } catch (error) {
    if (!FencedError.isInstance(error) || error.code !== 'EXECUTOR_DIED' || signal.aborted) throw error
    const stateLost = await makeNew(code)
    // The question has its answer already, if the code was asked about.
    return { result: await execute({ ...code, about: { ...code.about, resumes: true } }), stateLost }
  }
}

async function execute(code: CodeToRun): Promise<CodeResult> {
  const { executor, blocks, signal, about, tools, questions, onEvent } = code
  const execution = executeAbout(executor, blocks, {
    ...tools,
    ...questions,
    ...{ signal, about },
  })
  for await (const event of execution) {
    if (event.type !== 'execution-end') await onEvent(event)
  }
  return await execution
}

async function makeNew({ executor, signal, onEvent }: CodeToRun): Promise<string> {
  const restarting = executor.restart()
  // A caller that cancels does not wait for it.
  restarting.catch(() => {})
  const failure = await untilAborted(restarting, signal).then(
    () => undefined,
    (error: unknown) => error,
  )
  signal.throwIfAborted()
  const notice: Notice = failure === undefined ? stateLost : restartFailed(failure)
  await onEvent({ type: 'notice', notice })
  return notice.message
}

const stateLost: Notice = {
  code: 'state-lost',
  message:
    'The executor had died and was started again: all variables and imports are lost, and files are kept. Define again what the next block needs.',
}

function restartFailed(error: unknown): Notice {
  const reason = errorMessage(error)
  return {
    code: 'restart-failed',
    message: `The executor died, all variables are lost, and it could not be restarted: ${reason}`,
    data: { ...dataOf(error), reason },
  }
}

const allowOrDeny = [{ decision: 'allow' }, { decision: 'deny' }] as const

/** The answers that a person can choose; none where a text is the answer. */
export function choicesOf(request: ApprovalRequest): readonly ApprovalChoice[] {
  const { kind } = request
  if (kind === 'input' || kind === 'message') return []
  if (kind !== 'code') return allowOrDeny
  return [
    { decision: 'allow' },
    { decision: 'allow', remember: 'code' },
    { decision: 'allow', remember: 'conversation' },
    { decision: 'edit' },
    { decision: 'deny' },
  ]
}

/** An event of an executor as one of an agent: questions are the agent's own, and asked when the reader has seen them. */
export async function emitExecutionEvent(
  event: ExecutionEvent,
  {
    agent,
    run,
    retryAttempt = 0,
  }: { readonly agent: string; readonly run: RunContext; readonly retryAttempt?: number | undefined },
): Promise<void> {
  switch (event.type) {
    case 'approval-requested': {
      const { type, request } = event
      await run.emit({ type, agent, request, choices: choicesOf(request) })
      await run.drained()
      return
    }
    case 'approval-answered':
    case 'approval-withdrawn': {
      const { id: requestId, ...rest } = event
      await run.emit({ ...rest, agent, requestId })
      return
    }
    default:
      await run.emit({ type: 'code', agent, retryAttempt, event })
  }
}
