import { FencedError, type Notice } from '@fenced/core'
import { noticeOf } from '@fenced/core/internal'
import { errorMessage } from '@fenced/errors'

export function executorFailed(error: unknown): Notice {
  const message = errorMessage(error)
  if (!FencedError.isInstance(error)) return { code: 'EXECUTOR_FAILED', message, data: { reason: message } }
  return noticeOf(error.code, { message, data: error.data })
}

/** Whether an error says that a question about code has no answer that holds, so that nothing was run. */
export function isUndecided(error: unknown): boolean {
  return FencedError.isInstance(error) && undecided.includes(error.code)
}

const undecided = ['APPROVAL_UNAVAILABLE', 'APPROVAL_USED', 'INVALID_APPROVAL', 'LEDGER_UNAVAILABLE']

/** Returns the data of an error, for an error or a notice that reports it. */
export function dataOf(error: unknown): Readonly<Record<string, string>> {
  return FencedError.isInstance(error) ? (error.data ?? {}) : {}
}
