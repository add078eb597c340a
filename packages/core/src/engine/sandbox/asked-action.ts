import { FencedError } from '@fenced/errors'
import { onAbort } from '@fenced/shared'
import type { PlaceOfCode } from '../../approval/approval-target.ts'
import type { AskKinds } from '../../approval/ask.ts'
import type { Asking } from '../../approval/code-questions.ts'
import { recordedCall } from '../../approval/recorded-call.ts'
import { type JoinableRuns, joinRuns } from '../../running/runs-of.ts'
import { notRunningError } from '../call/executor-errors.ts'

/** An executor whose actions are asked about. */
export type AskingPlace = PlaceOfCode & JoinableRuns

type ActionKind = 'file' | 'process' | 'install'
type ActionRequest = AskKinds[ActionKind]['request']

/** An action beside the blocks of an executor. */
export interface AskedAction<Output> {
  /** Named in the question. Stopping it ends the action, and withdraws the question. */
  readonly executor: AskingPlace
  readonly asking: Pick<Asking, 'asker' | 'ledger'>
  /** Whether an approver decides. */
  readonly isAsked: boolean
  readonly request: ActionRequest
  /** The caller's. */
  readonly signal: AbortSignal | undefined
  readonly make: (signal: AbortSignal) => Promise<Output>
}

/**
 * Makes an action once it is allowed.
 *
 * @throws FencedError `APPROVAL_DENIED`; `EXECUTOR_STOPPED` if the executor is stopped meanwhile. What the action rejects with.
 */
export async function askedAction<Output>({ request, ...action }: AskedAction<Output>): Promise<Output> {
  const { executor, asking, isAsked, signal: callerSignal, make } = action
  const { asker, ledger } = asking
  const run = new AbortController()
  const { signal } = run
  using _joined = executor[joinRuns](run)
  using _link = onAbort(callerSignal, () => run.abort(callerSignal?.reason))
  const isLeftBehind = () => signal.aborted
  const asked = isAsked
    ? recordedCall(request, {
        ledger,
        ask: (question) => asker.ask<ActionKind>(question, { signal }),
        make: () => make(signal),
        isLeftBehind,
      })
    : make(signal).then((output) => ({ output }))
  const made = await asked.catch((error: unknown) => {
    throw error === signal.reason && callerSignal?.aborted !== true ? notRunningError(executor.name) : error
  })
  if ('denial' in made) throw denied(request, made.denial)
  return made.output
}

const notDone = {
  process: 'The process was not started',
  file: 'The file was not changed',
  install: 'The packages were not installed',
} as const

function denied({ kind }: ActionRequest, reason: string): FencedError {
  return new FencedError({
    code: 'APPROVAL_DENIED',
    message: `${notDone[kind]}, because it was not approved. Reason: ${reason}`,
    data: { kind, reason },
  })
}
