import type { CodeBlock } from '@fenced/markdown'
import type { CodeExecutor } from '../code-executor.ts'
import type { ExecutionEvent } from '../execution.ts'
import type { CodeResult, Notice } from '../vocabulary/code-result.ts'
import { exitCodesOfStatus } from '../vocabulary/exit-codes.ts'
import type { ApprovalAnswer } from './approval-answer.ts'
import type { AskedCode, CodeQuestions } from './code-questions.ts'

/** The events of a run, as `EventQueue`. */
interface RunEvents {
  push(event: ExecutionEvent): void | Promise<void>
}

/** A call of `execute`. */
export interface AskedCall extends AskedCode {
  readonly questions: CodeQuestions
  readonly executor: Pick<CodeExecutor, 'capabilities' | 'session'>
  readonly events: RunEvents
}

/** Runs programs. Awaits `begin` before the first of them can begin; if it rejects, none runs. */
export type RunPrograms = (programs: readonly CodeBlock[], begin: () => Promise<void>) => Promise<CodeResult>

/** Asks about code, where an approver decides about it, and runs what is allowed, with its record in the ledger. */
export async function askedRun(call: AskedCall, run: RunPrograms): Promise<CodeResult> {
  const { questions, executor, blocks, asking, events } = call
  if (blocks.length === 0 || !asking.asker.has('code')) return await run(blocks, async () => {})
  const lost = lostSession(call)
  if (lost !== undefined) tell(events, lost)
  const {
    verdict: { answer },
    programs,
    isEdited,
    isResumed,
    record,
  } = await questions.decide(call)
  if (answer.decision === 'deny') {
    const text = denialText(answer.reason)
    tell(events, { code: 'denied', message: text })
    return notRun(executor, 'denied', `${text}\n`)
  }
  const text = answer.decision === 'edit' && isEdited ? editText(answer) : ''
  if (text !== '' && !isResumed) tell(events, { code: 'edited', message: text.trim() })
  try {
    const result = await run(programs, () => record.start())
    const notice = await record.end(result)
    if (notice !== undefined) tell(events, notice)
    return text === '' ? result : { ...result, output: `${text}${result.output}` }
  } catch (error) {
    await record.fail(error)
    throw error
  }
}

/** A question that was asked in another process was asked about variables that are not here. */
function lostSession({ about, executor }: AskedCall): Notice | undefined {
  const asked = (about.saved ?? about.kept)?.target.particulars.session
  if (typeof asked !== 'string' || asked === executor.session?.state?.session) return undefined
  return {
    code: 'state-lost',
    message:
      'The Python session of this program has ended, and its variables are lost. The program was not run. Approve it again to run it in a new session, which has no variables.',
    data: { session: asked },
  }
}

function tell(events: RunEvents, notice: Notice): void {
  void events.push({ type: 'notice', notice })
}

/** The result of code of which nothing was run. */
export function notRun(
  { capabilities: { isolation, network, isolationParticulars } }: Pick<CodeExecutor, 'capabilities'>,
  status: 'ok' | 'denied' | 'cancelled' | 'died',
  output: string,
): CodeResult {
  return {
    status,
    exitCode: exitCodesOfStatus[status],
    output,
    blocks: [],
    files: [],
    durationMs: 0,
    queuedMs: 0,
    isolation: { kind: isolation, network, particulars: { ...isolationParticulars } },
  }
}

/** Returns the text for a model about code that was not approved. */
export function denialText(reason: string): string {
  return `Code execution was not approved. Reason: ${reason}`
}

/** Returns the text for a model before the output of edited code: the model must know the code that ran. */
function editText({ blocks, reason = '' }: Extract<ApprovalAnswer, { readonly decision: 'edit' }>): string {
  const why = reason === '' ? '' : ` (${reason})`
  const programs = blocks.map(({ language, code }) => `~~~~${language}\n${code.replace(/\n?$/, '\n')}~~~~`)
  return `The code was changed before it was run${why}, into this:\n\n${programs.join('\n\n')}\n\n`
}
