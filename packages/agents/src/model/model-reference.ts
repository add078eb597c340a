import { type ComponentConfig, FencedError, type ToConfigOptions } from '@fenced/core'
import { toComponentConfig } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { LanguageModel } from 'ai'
import { providerOf } from '../component/to-config.ts'
import type { ModelOptions } from './model-request.ts'
import { isModel } from './model-request.ts'

const referenceSchema = z.strictObject({ provider: z.string(), modelId: z.string().min(1) })

type Reference = z.output<typeof referenceSchema>

function modelReference(model: LanguageModel): string | Reference {
  return typeof model === 'string' ? model : { provider: model.provider, modelId: model.modelId }
}

interface ModelSettings {
  readonly model?: LanguageModel | readonly LanguageModel[] | undefined
  readonly modelOptions?: ModelOptions | undefined
}

/**
 * The config of an agent. Its models are ids, without the provider's address and key. Headers and options of providers are left out: they
 * can hold a key.
 */
export function modelAgentConfig(
  agent: object,
  { options, settings }: { readonly options: object; readonly settings: ModelSettings },
  toConfigOptions: ToConfigOptions | undefined,
): ComponentConfig {
  const { model, modelOptions } = settings
  const headers = Object.values(modelOptions?.headers ?? {})
  const description = {
    provider: providerOf(agent),
    options: {
      ...options,
      model: isList(model) ? model.map(modelReference) : model && modelReference(model),
    },
    secrets: ['modelOptions.headers', 'modelOptions.providerOptions'],
    // A short value, such as a version, may occur in any text.
    secretValues: headers.filter((value) => value !== undefined && value.length >= 8) as string[],
  }
  return toComponentConfig(description, toConfigOptions)
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

function isList(model: ModelSettings['model']): model is readonly LanguageModel[] {
  return Array.isArray(model)
}
