import type { CodeBlock } from '@fenced/markdown'
import type { CodeExecutor } from '../code-executor.ts'
import type { CodeResult } from '../code-result.ts'
import type { Execution, ExecutionEvent } from '../execution.ts'
import { exitCodesOfStatus } from '../exit-codes.ts'
import type { Verdict } from './approval-gate.ts'
import type { Decided } from './decided-execution.ts'

/** The result of code of which nothing was run. */
export function notRun(
  { capabilities: { isolation, network, isolationParticulars } }: CodeExecutor,
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
export function editText({
  blocks,
  reason = '',
}: {
  readonly blocks: readonly CodeBlock[]
  readonly reason?: string | undefined
}): string {
  const why = reason === '' ? '' : ` (${reason})`
  const programs = blocks.map(({ language, code }) => `~~~~${language}\n${code.replace(/\n?$/, '\n')}~~~~`)
  return `The code was changed before it was run${why}, into this:\n\n${programs.join('\n\n')}\n\n`
}

/** The output of code that was cancelled while its question was open. */
export const cancelledText =
  'Cancelled: nothing was run, because the caller asked to stop before it was approved.\n'

/** The answer to a question about code as an event. */
export function answeredEvent({ id }: { readonly id: string }, verdict: Verdict): ExecutionEvent {
  const { decision, remembered, reason } = { reason: undefined, ...verdict }
  return { type: 'approval-answered', id, decision, remembered, ...(reason === undefined ? {} : { reason }) }
}

/** A run that needs no decision. */
export function running(execution: Execution): Decided {
  return { result: execution, events: () => execution }
}

/** A run, after earlier events. */
export function after({ result, events }: Decided, before: readonly ExecutionEvent[]): Decided {
  return {
    result,
    async *events() {
      yield* before
      yield* events()
    },
  }
}

/** The end of code that does not run, after earlier events. */
export function finished(result: CodeResult, ...before: ExecutionEvent[]): Decided {
  async function* events(): AsyncGenerator<ExecutionEvent> {
    yield* before
    yield { type: 'execution-end', result }
  }
  return { result: Promise.resolve(result), events }
}

/** A run of code that was changed: its output begins with the new code. */
export function edited(
  { result, events }: Decided,
  { answered, text }: { readonly answered: readonly ExecutionEvent[]; readonly text: string },
): Decided {
  const withText = (given: CodeResult) => ({ ...given, output: `${text}${given.output}` })
  async function* all(): AsyncGenerator<ExecutionEvent> {
    if (answered.length > 0) yield* [...answered, notice('edited', text.trim())]
    for await (const event of events()) {
      yield event.type === 'execution-end' ? { ...event, result: withText(event.result) } : event
    }
  }
  return { result: result.then(withText), events: all }
}

/** A decision as a notice. */
export function notice(code: 'denied' | 'edited', message: string): ExecutionEvent {
  return { type: 'notice', notice: { code, message } }
}
