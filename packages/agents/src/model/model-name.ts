import type { LanguageModel } from 'ai'

/** What prices and events know a model by. */
export function modelIdOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId
}

/** A model for a reader: several providers may have one of the same id. */
export function modelLabel(model: LanguageModel): string {
  return typeof model === 'string' ? model : `${model.modelId} (${model.provider})`
}
