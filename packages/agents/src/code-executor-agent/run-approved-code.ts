import {
  type CodeApprovalRequest,
  type CodeBlock,
  type CodeExecutor,
  type CodeResult,
  FencedError,
} from '@fenced/core'
import {
  type ApprovalGate,
  codeHash,
  codeRequest,
  denialText,
  editText,
  notRun,
  targetHash,
} from '@fenced/core/internal'
import { picturesOf, type ToolPicturesOptions } from '@fenced/core/tool'
import type { Picture } from '../message/tool-parts.ts'
import { codeChoices, emitExecutionEvent, type RanInTurn, runCode } from '../running/run-code.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { resultText } from './result-text.ts'

export interface CodeRun {
  readonly source: string
  readonly executor: CodeExecutor
  readonly gate: ApprovalGate
  /** Nobody else has them: what is approved cannot be changed before it runs. */
  readonly blocks: readonly CodeBlock[]
  /** What the model wrote around the code. */
  readonly text: string
  readonly retryAttempt: number
  /** What was asked before the agent was saved: the same question about the same code in the same target has its id. */
  readonly saved?: CodeApprovalRequest | undefined
  /** How much of the result the model reads. */
  readonly maxResultLength: number
  /** How many pictures of it are handed over; `undefined` for none. */
  readonly pictures: ToolPicturesOptions | undefined
}

/** What became of code: what was run, and how it ended. */
export interface RanCode {
  readonly result: CodeResult
  readonly blocks: readonly CodeBlock[]
  readonly isDenied: boolean
  /** What the model reads of it. */
  readonly content: string
  readonly pictures: readonly Picture[]
}

/** Asks whether code may be run, runs exactly what was approved, and tells how it ended. */
export async function runApprovedCode(run: CodeRun, context: RunContext): Promise<RanCode> {
  const { source: agent, retryAttempt } = run
  const ran = await ranCode(run, context)
  const { result, content } = ran
  await context.emit({ type: 'code-end', agent, retryAttempt, result, content })
  return ran
}

async function ranCode(run: CodeRun, context: RunContext): Promise<RanCode> {
  const { executor, maxResultLength } = run
  const approval = await approvalOf(run, context)
  if ('denial' in approval) {
    const content = denialText(approval.denial)
    const result = notRun(executor, 'denied', content)
    return { result, blocks: run.blocks, isDenied: true, content, pictures: [] }
  }
  const { blocks, edited = '' } = approval
  const { result, stateLost } = await executeCode({ ...run, blocks }, context)
  const isDenied = result.status === 'denied'
  return {
    result,
    blocks,
    isDenied,
    content: `${edited}${withLine(resultText(result, maxResultLength), stateLost)}`,
    pictures: run.pictures === undefined ? [] : picturesOf(result, run.pictures),
  }
}

function withLine(text: string, line: string | undefined): string {
  return line === undefined ? text : `${text.replace(/\n?$/, '\n')}${line}\n`
}

type Approval =
  | { readonly denial: string }
  | { readonly blocks: readonly CodeBlock[]; readonly edited?: string }

async function approvalOf(
  { source, executor, gate, blocks, text, retryAttempt, saved }: CodeRun,
  { signal, emit, drained }: RunContext,
): Promise<Approval> {
  if (!gate.asks) return { blocks }
  const asked = codeRequest({ agent: source, executor, blocks, context: text, retryAttempt })
  const request = saved !== undefined && isSame(saved, asked) ? { ...asked, id: saved.id } : asked
  if (!gate.knows(request)) {
    const shown = { request: structuredClone(request), choices: codeChoices(request) }
    await emit({ type: 'approval-requested', agent: source, ...shown })
    await drained()
  }
  const verdict = await gate.decide(request, signal)
  const { decision, remembered, reason } = { reason: undefined, ...verdict }
  await emit({
    type: 'approval-answered',
    agent: source,
    requestId: request.id,
    decision,
    remembered,
    ...(reason === undefined ? {} : { reason }),
  })
  switch (verdict.decision) {
    case 'deny':
      return { denial: verdict.reason }
    case 'edit':
      return codeHash(verdict.blocks) === request.codeHash
        ? { blocks }
        : { blocks: verdict.blocks, edited: editText(verdict) }
    case 'allow':
      // A net below the copies: what is run has the hash of what was shown.
      if (codeHash(blocks) !== request.codeHash) throw changed(source)
      return { blocks }
  }
}

function isSame(one: CodeApprovalRequest, other: CodeApprovalRequest): boolean {
  return one.codeHash === other.codeHash && targetHash(one.target) === targetHash(other.target)
}

function changed(source: string): FencedError {
  return new FencedError({
    code: 'CODE_CHANGED',
    message: `The code of ${source} is not what was approved any more. It was not run.`,
  })
}

interface AttemptToRun {
  readonly source: string
  readonly executor: CodeExecutor
  readonly blocks: readonly CodeBlock[]
  readonly retryAttempt: number
}

/** Runs code and tells what the executor tells. An executor that fails is a result, and a notice. */
async function executeCode(
  { source, executor, blocks, retryAttempt }: AttemptToRun,
  run: RunContext,
): Promise<RanInTurn> {
  const { signal } = run
  try {
    return await runCode({
      executor,
      blocks,
      signal,
      onEvent: (event) => emitExecutionEvent(event, { agent: source, run, retryAttempt }),
    })
  } catch (error) {
    signal.throwIfAborted()
    const message = error instanceof Error ? error.message : String(error)
    const known = FencedError.isInstance(error) ? error : undefined
    const notice = { code: known?.code ?? 'EXECUTOR_FAILED', message }
    await run.emit({ type: 'notice', agent: source, notice })
    const output = `${known?.result?.output ?? ''}The code could not be run: ${message}\n`
    return { result: { ...(known?.result ?? notRun(executor, 'died', output)), output } }
  }
}
