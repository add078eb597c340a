import { FencedError } from '@fenced/core'
import { errorMessage } from '@fenced/errors'
import { shortened } from '@fenced/errors/text'
import { APICallError, type LanguageModel, RetryError } from 'ai'

export interface ModelFailure {
  readonly model: LanguageModel
  readonly error: unknown
}

export const noObjectCode = 'MODEL_GAVE_NO_OBJECT'

export function allModelsFailed(failures: readonly ModelFailure[], secrets: readonly string[]): FencedError {
  const errors = failures.map(({ error }) => error)
  const hasAnswered = errors.some((error) => FencedError.isInstance(error) && error.code === noObjectCode)
  const facts = failures.map(({ model, error }) => ({
    model: modelLabel(model),
    failure: describeFailure(error, secrets),
    reason: reasonOf(error, secrets),
    statusCode: statusOf(lastErrorOf(error)),
    advice: adviceFor(error),
  }))
  const lines = facts.map(({ model, failure, advice }) => `- ${model}: ${failure} ${advice}`.trimEnd())
  const headline = hasAnswered ? 'No model returned the requested object.' : 'No model answered.'
  return new FencedError({
    code: hasAnswered ? noObjectCode : 'MODEL_FAILED',
    message: [headline, ...lines].join('\n'),
    data: joined(facts),
    cause: errors.length === 1 ? errors[0] : new AggregateError(errors, headline),
  })
}

function joined(
  facts: readonly {
    readonly model: string
    readonly reason: string
    readonly statusCode: number | undefined
  }[],
): Record<string, string> {
  const statusCode = facts.flatMap((fact) => fact.statusCode ?? []).join(', ')
  return {
    model: facts.map(({ model }) => model).join(', '),
    reason: facts.map(({ reason }) => reason).join('\n'),
    ...(statusCode === '' ? {} : { statusCode }),
  }
}

/** A filter of the provider has stopped the answer: another model is not asked to get around it. */
export function modelRefused(
  model: LanguageModel,
  { said = '', cause }: { said?: string; cause?: unknown },
): FencedError {
  const answer = said.trim() === '' ? '' : describeFailure(said)
  const quote = answer === '' ? '' : ` Its answer so far: "${answer}".`
  return new FencedError({
    code: 'MODEL_REFUSED',
    message:
      `The content filter of ${modelLabel(model)} stopped the answer.${quote} ` +
      'Rephrase the task, or use another model.',
    data: { model: modelLabel(model), ...(answer === '' ? {} : { answer }) },
    cause,
  })
}

/** Whether a provider says with an error what others say with the reason of an end. */
export function isRefusal(error: unknown): boolean {
  return codesOf(lastErrorOf(error)).includes('content_filter')
}

function codesOf(error: unknown): readonly unknown[] {
  if (typeof error !== 'object' || error === null) return []
  const { code, data } = error as { code?: unknown; data?: { error?: { code?: unknown } } }
  return [code, data?.error?.code]
}

const maxLength = 300

/**
 * Returns the reason why a model could not answer, in one line, without API keys.
 *
 * @param secrets - Further values to remove.
 */
export function describeFailure(error: unknown, secrets: readonly string[] = []): string {
  const status = statusOf(lastErrorOf(error))
  const tries =
    RetryError.isInstance(error) && error.errors.length > 1 ? ` (${error.errors.length} tries)` : ''
  return `${status === undefined || isAnswer(status) ? '' : `HTTP ${status}: `}${reasonOf(error, secrets)}${tries}`
}

/** The message of the error in one line, without keys. */
function reasonOf(error: unknown, secrets: readonly string[]): string {
  const cause = lastErrorOf(error)
  // An answer that came and could not be read: why stands one deeper.
  const innermost = isAnswer(statusOf(cause)) ? (Object(cause).cause ?? cause) : cause
  const message = withoutSecrets(errorMessage(innermost), secrets).replaceAll(/\s+/g, ' ').trim()
  return shortened(message, maxLength)
}

function isAnswer(status: number | undefined): boolean {
  return status !== undefined && status < 400
}

/** Advice, as a sentence; empty without advice. */
function adviceFor(error: unknown): string {
  const cause = lastErrorOf(error)
  const status = statusOf(cause)
  if (status === 401 || status === 403) return 'Check its API key.'
  if (status === 404) return 'Check the model’s id and its provider’s base URL.'
  if (status === 429) return 'Its limit is used up. Wait, or add another model after it.'
  if (status === 400 || status === 413 || status === 422) {
    return 'It rejects the request. Check modelOptions, the tools and the length of the conversation.'
  }
  if (Object(cause).name === 'TimeoutError') return 'modelOptions.timeout sets its time limit.'
  if (status === undefined && APICallError.isInstance(cause)) {
    return 'Check that its server is running, and check its provider’s base URL.'
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

const replacement = '[redacted]'

/** The text before a key, in a group, and the key. A lookbehind would be quadratic in a run of blanks. */
const patterns: readonly RegExp[] = [
  /(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi,
  /(\bapi[ _-]?key\b[^:=\n]{0,20}[:=]\s*["']?)[^\s"',;)]+/gi,
  /([?&](?:api[_-]?key|key|token|access_token)=)[^&\s"']+/gi,
  /()\b(?:sk|pk|rk|gsk|xai|hf|AIza)[-_A-Za-z0-9]{16,}/g,
]

/**
 * Returns a provider's message without API keys: some providers repeat the key or the header that they reject.
 *
 * @param known - Further values to remove.
 */
export function withoutSecrets(text: string, known: readonly string[] = []): string {
  const cleaned = patterns.reduce((before, pattern) => before.replace(pattern, `$1${replacement}`), text)
  return known
    .filter((value) => value.length >= 8)
    .reduce((before, value) => before.replaceAll(value, replacement), cleaned)
}

/** What a schema has against a value: where, and why. `error` is what a zod schema throws, or any other. */
export function describeMismatch(error: unknown): string {
  const issues = typeof error === 'object' && error !== null && 'issues' in error ? error.issues : error
  if (!Array.isArray(issues) || issues.length === 0) return errorMessage(error)
  return issues.map(describeIssue).join('; ')
}

function describeIssue(issue: unknown): string {
  const { path = [], message = '' } = issue as { path?: readonly unknown[]; message?: string }
  const place = path.map((step) => (isStep(step) ? String(step.key) : String(step))).join('.')
  return place === '' ? message : `${place}: ${message}`
}

function isStep(step: unknown): step is { key: PropertyKey } {
  return typeof step === 'object' && step !== null && 'key' in step
}

/** What prices and events know a model by. */
export function modelIdOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId
}

/** A model for a reader: several providers may have one of the same id. */
function modelLabel(model: LanguageModel): string {
  return typeof model === 'string' ? model : `${model.modelId} (${model.provider})`
}
