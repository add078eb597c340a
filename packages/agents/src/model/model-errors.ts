import { FencedError } from '@fenced/core'
import type { LanguageModel } from 'ai'
import { adviceFor, describeFailure, lastErrorOf } from './describe-failure.ts'
import { modelLabel } from './model-name.ts'

/** A model that was asked, and why that came to nothing. */
export interface ModelFailure {
  readonly model: LanguageModel
  readonly error: unknown
}

export const noObjectCode = 'MODEL_GAVE_NO_OBJECT'

/** After the last model of a chain: what became of each. */
export function allModelsFailed(failures: readonly ModelFailure[], secrets: readonly string[]): FencedError {
  const errors = failures.map(({ error }) => error)
  const hasAnswered = errors.some((error) => FencedError.isInstance(error) && error.code === noObjectCode)
  const lines = failures.map(({ model, error }) =>
    [`- ${modelLabel(model)}: ${describeFailure(error, secrets)}`, adviceFor(error)]
      .filter(Boolean)
      .join(' '),
  )
  const headline = hasAnswered ? 'No model gave the object that it was asked for.' : 'No model answered.'
  return new FencedError({
    code: hasAnswered ? noObjectCode : 'MODEL_FAILED',
    message: [headline, ...lines].join('\n'),
    cause: errors.length === 1 ? errors[0] : new AggregateError(errors, headline),
  })
}

/** A filter of the provider has stopped the answer: another model is not asked to get around it. */
export function modelRefused(
  model: LanguageModel,
  { said = '', cause }: { said?: string; cause?: unknown },
): FencedError {
  const quote = said.trim() === '' ? '' : ` It had said: ${describeFailure(said)}`
  return new FencedError({
    code: 'MODEL_REFUSED',
    message:
      `The content filter of ${modelLabel(model)} stopped the answer.${quote} ` +
      'Say the task in other words, or ask another model.',
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
