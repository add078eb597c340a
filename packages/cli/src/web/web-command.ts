import { once } from 'node:events'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { WebModel } from '@fenced/web'
import { createExecutor, type ExecutorChoice } from '../executor.ts'
import { listenForStop } from '../stop-signals.ts'
import { UserError } from '../user-error.ts'

export interface WebOptions extends ExecutorChoice {
  readonly model?: string
  readonly baseUrl: string
  readonly pictures?: boolean
  readonly port: number
  readonly directory?: string
}

/** Serves the page until somebody asks for the end. @returns the exit code. */
export async function web(options: WebOptions): Promise<number> {
  const { model, baseUrl, pictures = false, port, directory: given, workDir, ...choice } = options
  if (workDir !== undefined)
    throw new UserError(
      'Each conversation has a directory of its own, below --directory: --work-dir is for one.',
    )
  const { serveFencedWeb } = await imported(() => import('@fenced/web'), 'The page')
  using stop = listenForStop()
  const stopped = once(stop.signal, 'abort')
  const directory = given === undefined ? ownDirectory() : resolve(given)
  await using served = await serveFencedWeb({
    executors: [
      {
        id: choice.executor,
        name: choice.isolation === undefined ? choice.executor : `${choice.executor}, ${choice.isolation}`,
        takesPackages: choice.executor === 'docker',
        createExecutor: ({ workDir, packages }) =>
          createExecutor({ ...choice, ...packagesOf(choice, packages), workDir }),
      },
    ],
    models: model === undefined ? [] : [{ ...(await namedModel(model, baseUrl)), pictures }],
    directory,
    port,
  })
  process.stdout.write(
    `Open ${served.url}\nConversations and their files are in ${directory}. Ctrl-C ends it.\n`,
  )
  await stopped
  return stop.exitCode ?? 0
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
async function namedModel(id: string, baseURL: string): Promise<WebModel> {
  const { createOpenAICompatible } = await imported(() => import('@ai-sdk/openai-compatible'), 'A model')
  const apiKey = process.env.OPENAI_API_KEY
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  })
  return { id, name: id, model: provider(id) }
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
