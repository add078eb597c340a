import type { LanguageModel } from 'ai'
import type { CallOutcome } from './call-model.ts'
import { describeFailure } from './describe-failure.ts'
import { allModelsFailed, type ModelFailure } from './model-errors.ts'
import { modelIdOf } from './model-name.ts'
import type { ModelEvent } from './model-request.ts'

export interface ModelChain<Value> {
  readonly models: readonly LanguageModel[]
  readonly tell: (event: ModelEvent) => Promise<void>
  /** Values that must not be repeated in messages. */
  readonly secrets: readonly string[]
  readonly attempt: (model: LanguageModel) => Promise<CallOutcome<Value>>
}

/**
 * Asks one model after the other until one has an answer.
 *
 * @throws FencedError `MODEL_FAILED` or `MODEL_GAVE_NO_OBJECT` when none has; what `attempt` throws.
 */
export async function askModels<Value>({
  models,
  tell,
  secrets,
  attempt,
}: ModelChain<Value>): Promise<Value> {
  const failures: ModelFailure[] = []
  for (const [index, model] of models.entries()) {
    const outcome = await attempt(model)
    if (outcome.ok) return outcome.value
    failures.push({ model, error: outcome.error })
    const next = models[index + 1]
    if (next === undefined) break
    const message = describeFailure(outcome.error, secrets)
    await tell({ type: 'model-fallback', modelId: modelIdOf(model), nextModelId: modelIdOf(next), message })
  }
  throw allModelsFailed(failures, secrets)
}
