import { FencedError } from '@fenced/core'
import { z } from '@fenced/core/zod'
import type { LanguageModel } from 'ai'
import type { ModelOptions } from './model-request.ts'
import { isModel } from './model-request.ts'

const referenceSchema = z.strictObject({ provider: z.string(), modelId: z.string().min(1) })

type Reference = z.output<typeof referenceSchema>

/** Models as plain data: their ids. The provider's address and key are not included. */
export function modelReferences(
  model: LanguageModel | readonly LanguageModel[] | undefined,
): string | Reference | (string | Reference)[] | undefined {
  if (model === undefined) return undefined
  return isList(model) ? model.map(modelReference) : modelReference(model)
}

function modelReference(model: LanguageModel): string | Reference {
  return typeof model === 'string' ? model : { provider: model.provider, modelId: model.modelId }
}

/** What of the options of models may be secret: headers and options of providers can hold a key. */
export function modelSecrets({ modelOptions }: { readonly modelOptions?: ModelOptions | undefined }): {
  secrets: string[]
  secretValues: string[]
} {
  const values = Object.values(modelOptions?.headers ?? {})
  return {
    secrets: ['modelOptions.headers', 'modelOptions.providerOptions'],
    // A short value, such as a version, may occur in any text.
    secretValues: values.filter((value) => value !== undefined && value.length >= 8) as string[],
  }
}

/**
 * Resolves references to models. Ids stay unchanged, and so do models that the caller passed.
 *
 * @throws FencedError `MODELS_NEEDED` without a `models` function; `UNKNOWN_MODEL` for an unknown id.
 */
export function referredModels(
  value: unknown,
  models: ((id: string) => LanguageModel | undefined) | undefined,
): unknown {
  return Array.isArray(value) ? value.map((one) => referredModel(one, models)) : referredModel(value, models)
}

function referredModel(
  value: unknown,
  models: ((id: string) => LanguageModel | undefined) | undefined,
): unknown {
  const { data: reference } = referenceSchema.safeParse(value)
  if (reference === undefined) return value
  const id = `${reference.provider}/${reference.modelId}`
  if (models === undefined) {
    throw new FencedError({
      code: 'MODELS_NEEDED',
      message: `The config names the model "${id}", but loadComponent has no \`models\` function. Pass models: (id) => …, a function that returns this AI SDK model.`,
      data: { model: id },
    })
  }
  const model = models(id)
  if (isModel(model)) return model
  throw new FencedError({
    code: 'UNKNOWN_MODEL',
    message: `\`models\` returned no model for "${id}". Return an AI SDK language model for it.`,
    data: { model: id },
  })
}

function isList(model: LanguageModel | readonly LanguageModel[]): model is readonly LanguageModel[] {
  return Array.isArray(model)
}
