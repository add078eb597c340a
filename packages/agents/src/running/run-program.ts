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
import { type AboutCode, executeAbout, noticeOf, notRun } from '@fenced/core/internal'
import { picturesOf } from '@fenced/core/tool'
import { errorMessage } from '@fenced/errors'
import { untilAborted } from '@fenced/shared'
import type { ApprovalChoice } from '../event.ts'
import type { Picture } from '../message/tool-parts.ts'
import type { Repetitions } from './repetitions.ts'
import type { RunContext } from './run-with-events.ts'

/** A program that is about to run. */
export interface Program {
  readonly blocks: readonly CodeBlock[]
  /** Text before the result, for its reader: the programs of the same message that do not run. */
  readonly withheld: string
  /** For the approver. */
  readonly about?: AboutCode | undefined
}

/** The agent that runs a program, and its way of running it. */
export interface ProgramRunner {
  readonly agent: string
  readonly run: RunContext
  /** Calls the approver, if there is one, before running code. */
  readonly executor: CodeExecutor
  /** What its programs ask meanwhile. */
  readonly questions: AskOptions
  /** Text of a result for the author of the program. */
  readonly describe: (result: CodeResult) => string
  readonly pictures: Parameters<typeof picturesOf>[1] | undefined
  /** Counts programs that repeat themselves. */
  readonly repetitions: Repetitions | undefined
}

export interface RanProgram {
  readonly result: CodeResult
  readonly blocks: readonly CodeBlock[]
  /** Why the agent ends its conversation or run: the program was repeated too often. */
  readonly ending: string | undefined
  /** Text for the author of the program. */
  readonly content: string
  readonly pictures: readonly Picture[]
}

/** Runs the code of a message. An executor that fails is a result, and a notice; an approver that cannot be asked is an error. */
export async function runProgram(program: Program, runner: ProgramRunner): Promise<RanProgram> {
  const { blocks, withheld, about } = program
  const { agent, run, describe, pictures, repetitions } = runner
  const { result, stateLost } = await runReported(program, runner)
  const { notice, ending } = repetitions?.add(blocks, result) ?? {}
  const content = withLine(withLine(`${withheld}${describe(result)}`, stateLost), notice?.message)
  await run.emit({ type: 'code-end', agent, retryAttempt: about?.retryAttempt ?? 0, result, content })
  if (notice !== undefined) await run.emit({ type: 'notice', agent, notice })
  return {
    ...{ result, blocks, ending, content },
    pictures: pictures === undefined ? [] : picturesOf(result, pictures),
  }
}

/** What a failing executor leaves is a result, too. */
async function runReported(
  { blocks, about }: Program,
  { agent, run, executor, questions }: ProgramRunner,
): Promise<RanInTurn> {
  const { signal } = run
  try {
    const ran = await runCode({
      ...{ executor, questions, blocks, signal, about },
      onEvent: async (event) => {
        if (!isSaidInResult(event))
          await emitExecutionEvent(event, { agent, run, retryAttempt: about?.retryAttempt })
      },
    })
    // The question has no answer, so there is no result.
    if (ran.result.status === 'cancelled' && ran.result.blocks.length === 0) signal.throwIfAborted()
    return ran
  } catch (error) {
    signal.throwIfAborted()
    if (isUndecided(error)) throw error
    const notice = executorFailed(error)
    await run.emit({ type: 'notice', agent, notice })
    const known = FencedError.isInstance(error) ? error.result : undefined
    const output = `${known?.output ?? ''}The code could not be run: ${notice.message}\n`
    return { result: { ...(known ?? { ...notRun(executor, 'died', output), exitCode: 1 }), output } }
  }
}

/** The decision is in the answer and in the result. */
function isSaidInResult(event: ExecutionEvent): boolean {
  return event.type === 'notice' && (event.notice.code === 'denied' || event.notice.code === 'edited')
}

function withLine(text: string, line: string | undefined): string {
  return line === undefined ? text : `${text.replace(/\n?$/, '\n')}${line}\n`
}

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

interface RanInTurn {
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
    // An executor with a session restarts what is necessary, and reports what is lost.
    const recovers = executor.session !== undefined || executor.capabilities.stateful.length === 0
    if (result.status !== 'died' || recovers) return { result }
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
async function emitExecutionEvent(
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

function executorFailed(error: unknown): Notice {
  const message = errorMessage(error)
  if (!FencedError.isInstance(error)) return { code: 'EXECUTOR_FAILED', message, data: { reason: message } }
  return noticeOf(error.code, { message, data: error.data })
}

/** Whether an error says that a question about code has no answer that holds, so that nothing was run. */
function isUndecided(error: unknown): boolean {
  return FencedError.isInstance(error) && undecided.includes(error.code)
}

const undecided = ['APPROVAL_UNAVAILABLE', 'APPROVAL_USED', 'INVALID_APPROVAL', 'LEDGER_UNAVAILABLE']

/** Returns the data of an error, for an error or a notice that reports it. */
export function dataOf(error: unknown): Readonly<Record<string, string>> {
  return FencedError.isInstance(error) ? (error.data ?? {}) : {}
}
