import { once } from 'node:events'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileLedger } from '@fenced/core'
import type { WebExecutor, WebModel } from '@fenced/web'
import { terminalQuestion } from '../choose/ask-at-terminal.ts'
import { type ChosenExecutor, chooseExecutor } from '../choose/choose-executor.ts'
import { createExecutor, type ExecutorChoice, type ExecutorOptions, executorText } from '../executor.ts'
import { untilStopped } from '../stop-signals.ts'
import { UserError } from '../user-error.ts'

export interface WebOptions extends ExecutorOptions {
  readonly model?: string
  readonly baseUrl: string
  /** Name of the environment variable with the key. */
  readonly apiKeyEnv?: string
  readonly pictures?: boolean
  readonly reasoning?: boolean
  readonly port: number
  readonly directory?: string
  /** Directory of the ledger. */
  readonly ledger?: string
}

/** Serves the page until somebody asks for the end. @returns the exit code. */
export async function web(options: WebOptions): Promise<number> {
  const {
    model,
    pictures = false,
    reasoning: startsInReasoning = false,
    port,
    directory: given,
    ledger,
    workDir,
  } = options
  if (workDir !== undefined)
    throw new UserError(
      'Each conversation has a directory of its own, below --directory: --work-dir is for one.',
    )
  const { serveFencedWeb } = await imported(() => import('@fenced/web'), 'The page')
  return untilStopped(async (signal) => {
    const askPerson = terminalQuestion({ signal, isStdinTaken: false })
    const executor = await pageExecutor(await chooseExecutor(options, { signal, askPerson }))
    const stopped = once(signal, 'abort')
    const directory = given === undefined ? ownDirectory() : resolve(given)
    await using served = await serveFencedWeb({
      executors: [executor],
      models:
        model === undefined ? [] : [{ ...(await namedModel(model, options)), pictures, startsInReasoning }],
      directory,
      port,
      ...(ledger === undefined ? {} : { ledger: fileLedger(ledger) }),
    })
    process.stdout.write(
      `Open ${served.url}\n${executor.description}\nConversations and their files are in ${directory}. Ctrl-C ends it.\n`,
    )
    await stopped
    return 0
  })
}

/** The executor of each conversation. Its name on the page says where code runs. */
async function pageExecutor({ choice, by, reason }: ChosenExecutor): Promise<WebExecutor> {
  return {
    id: choice.executor,
    name: `${nameOf(choice)}${by === 'auto' ? ' (auto)' : ''}`,
    description: `Code runs ${executorText(await createExecutor(choice))}. ${reason}`,
    takesPackages: choice.executor === 'docker' && choice.pull !== 'never',
    createExecutor: ({ workDir, packages }) =>
      createExecutor({ ...choice, ...packagesOf(choice, packages), workDir }),
  }
}

function nameOf({ executor, isolation }: ExecutorChoice): string {
  return isolation === undefined
    ? executor
    : `${executor}, ${isolation === 'none' ? 'no isolation' : isolation}`
}

/** Those of the command line, and those that a person has named for a conversation. */
function packagesOf(
  { packages = [] }: ExecutorChoice,
  named: readonly string[],
): Pick<ExecutorChoice, 'packages'> {
  const all = [...packages, ...named]
  return all.length === 0 ? {} : { packages: all }
}

/** A model of a server that speaks as OpenAI's does. */
async function namedModel(id: string, options: WebOptions): Promise<WebModel> {
  const { createOpenAICompatible } = await imported(() => import('@ai-sdk/openai-compatible'), 'A model')
  const { baseUrl: baseURL } = options
  const apiKey = keyFor(options)
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  })
  return { id, name: id, model: provider(id) }
}

/** The key for the server of the model. That of OpenAI goes to no other server, unless it is named. */
function keyFor({ baseUrl, apiKeyEnv }: WebOptions): string | undefined {
  if (apiKeyEnv === undefined)
    return URL.parse(baseUrl)?.origin === 'https://api.openai.com' ? process.env.OPENAI_API_KEY : undefined
  const key = process.env[apiKeyEnv]
  if (key === undefined || key === '')
    throw new UserError(
      `The environment variable ${apiKeyEnv} is not set. --api-key-env needs the name of a variable with a key.`,
    )
  return key
}

/** Optional packages: they are larger than the command itself. */
async function imported<Module>(load: () => Promise<Module>, what: string): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new UserError(`${what} needs more packages: npm install @fenced/web ai @ai-sdk/openai-compatible`)
  }
}

function ownDirectory(): string {
  return join(process.env.XDG_DATA_HOME || join(homedir(), '.local/share'), 'fenced')
}
