import { APICallError, RetryError } from 'ai'
import { messageOf } from './message-of.ts'
import { withoutSecrets } from './without-secrets.ts'

const maxLength = 300

/** Why a call of a model failed, in one line, without keys. */
export function describeFailure(error: unknown, secrets: readonly string[] = []): string {
  const cause = lastErrorOf(error)
  const status = statusOf(cause)
  const tries =
    RetryError.isInstance(error) && error.errors.length > 1 ? ` (${error.errors.length} tries)` : ''
  // An answer that came and could not be read: why stands one deeper.
  const isAnswer = status !== undefined && status < 400
  const innermost = isAnswer && cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
  const message = withoutSecrets(messageOf(innermost), secrets).replaceAll(/\s+/g, ' ').trim()
  const shown = message.length > maxLength ? `${message.slice(0, maxLength)}…` : message
  return `${status === undefined || isAnswer ? '' : `HTTP ${status}: `}${shown}${tries}`
}

/** What to do about it, in a sentence; empty where nobody can tell. */
export function adviceFor(error: unknown): string {
  const cause = lastErrorOf(error)
  const status = statusOf(cause)
  if (status === 401 || status === 403) return 'Check its API key.'
  if (status === 404) return 'Check the id of the model and the base URL of its provider.'
  if (status === 429) return 'Its limit is used up: wait, or give another model after it.'
  if (status === 400 || status === 413 || status === 422) {
    return 'It does not take the request: look at modelOptions, the tools and the length of the conversation.'
  }
  if (cause instanceof Error && cause.name === 'TimeoutError')
    return 'modelOptions.timeout is how long it has.'
  if (status === undefined && APICallError.isInstance(cause)) {
    return 'Check that its server runs, and the base URL of its provider.'
  }
  return ''
}

/** The last of several tries. */
export function lastErrorOf(error: unknown): unknown {
  return RetryError.isInstance(error) ? error.lastError : error
}

export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined
  return typeof error.statusCode === 'number' ? error.statusCode : undefined
}
