import type { LanguageModel } from 'ai'
import { type Command, InvalidArgumentError } from 'commander'
import { optional, UserError } from './user-error.ts'

/** Options about the model of a command. */
export interface ModelOptions {
  readonly baseUrl: string
  /** Name of the environment variable with the key. */
  readonly apiKeyEnv?: string
  /** Whether the model takes pictures. */
  readonly pictures?: boolean
  /** Whether answers begin in the middle of reasoning. */
  readonly reasoning?: boolean
}

/** Adds the options that belong to `--model`. */
export function addModelOptions(command: Command): Command {
  return command
    .option('--base-url <url>', 'a server that speaks as OpenAI’s does', readUrl, 'https://api.openai.com/v1')
    .option(
      '--api-key-env <name>',
      'environment variable with the key for --base-url (default: OPENAI_API_KEY for api.openai.com, none for other servers)',
    )
    .option('--pictures', 'the model takes pictures, and is shown what programs plot')
    .option('--reasoning', 'answers of the model begin in the middle of reasoning, before its </think>')
}

/** Makes a model of a server that speaks as OpenAI's does. @throws UserError where its package or its key is missing. */
export async function createModel(id: string, options: ModelOptions): Promise<LanguageModel> {
  const { createOpenAICompatible } = await optional(
    () => import('@ai-sdk/openai-compatible'),
    'A model',
    'ai @ai-sdk/openai-compatible',
  )
  const apiKey = keyFor(options)
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL: options.baseUrl,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  })
  return provider(id)
}

/** The key for the server of the model. That of OpenAI goes to no other server, unless it is named. */
function keyFor({ baseUrl, apiKeyEnv }: ModelOptions): string | undefined {
  const isOpenAi = URL.parse(baseUrl)?.origin === 'https://api.openai.com'
  const name = apiKeyEnv ?? (isOpenAi ? 'OPENAI_API_KEY' : undefined)
  if (name === undefined) return undefined
  const key = process.env[name]
  if (key !== undefined && key !== '') return key
  throw new UserError(
    apiKeyEnv === undefined
      ? `The model has no key. Set the environment variable ${name}, or name another server with --base-url.`
      : `The environment variable ${name} is not set. --api-key-env needs the name of a variable with a key.`,
  )
}

function readUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text
  throw new InvalidArgumentError('It must be an address such as http://localhost:11434/v1.')
}
