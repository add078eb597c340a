import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from 'ai'
import { UserError } from '../user-error.ts'
import { keyNameOf, type Provider, providers } from './providers.ts'

/** What the command line says about a model. */
export interface ModelName {
  readonly provider: string
  readonly modelId: string
  /** Of a server that speaks as OpenAI's does; the provider's own when left out. */
  readonly baseUrl: string | undefined
}

export interface ChosenModel {
  readonly model: LanguageModel
  /** Which one it is, where, and with which key: for a person. */
  readonly words: string
  /** What else is to be known. */
  readonly remark?: string
}

/** @throws UserError for a provider that nobody knows the address of, or whose key is missing. */
export function chooseModel(
  { provider, modelId, baseUrl }: ModelName,
  environment: Readonly<Record<string, string | undefined>>,
): ChosenModel {
  const { needsKey, ...server } = baseUrl === undefined ? known(provider) : { baseUrl, needsKey: false }
  const keyName = keyNameOf(provider)
  const apiKey = environment[keyName] || undefined
  if (needsKey && apiKey === undefined) {
    throw new UserError(`${provider} needs a key: put it into the environment as ${keyName}.`)
  }
  const create = createOpenAICompatible({
    name: provider,
    baseURL: server.baseUrl,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  })
  const key = apiKey === undefined ? `without a key (${keyName} is not set)` : `with the key in ${keyName}`
  return { model: create(modelId), words: `${modelId} of ${provider}, at ${server.baseUrl}, ${key}` }
}

function known(provider: string): Provider {
  const found = Object.hasOwn(providers, provider) ? providers[provider] : undefined
  if (found !== undefined) return found
  const names = Object.keys(providers).join(', ')
  throw new UserError(
    `The address of the provider ${provider} is not known: give it with --base-url. Known are ${names}.`,
  )
}
