import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CodeExecutor } from '@fenced/core'
import { serveFencedWeb, type WebModel } from '@fenced/web'
import { Command, CommanderError } from 'commander'
import { readDirectory, readModel, readPort, readSeconds, readUrl } from '../command-line/option-values.ts'
import { fromWhereTyped } from '../executor/from-where-typed.ts'
import { chooseModel, type ModelName } from '../model/choose-model.ts'
import { readTask } from '../script/script.ts'
import { chooseScriptedModel } from '../script/scripted-model.ts'
import { conversationScript } from '../script/scripted-scenarios.ts'
import { listenForStop } from '../stop-signals.ts'
import { UserError } from '../user-error.ts'
import { executors } from './executors.ts'

interface Given {
  readonly model?: Omit<ModelName, 'baseUrl'>
  readonly baseUrl?: string
  readonly pictures?: boolean
  readonly port: number
  readonly directory?: string
  readonly timeout: number
}

/** Serves the page until somebody ends it. Returns the exit code. */
export async function web(argv: readonly string[]): Promise<number> {
  const given = readGiven(argv)
  if (given === undefined) return 0
  const { model, baseUrl, pictures, port, timeout } = given
  const chosen = model === undefined ? undefined : chooseModel({ ...model, baseUrl }, process.env)
  const directory = given.directory === undefined ? ownDirectory() : fromWhereTyped(given.directory)
  using stop = listenForStop(process.stdout)
  await buildPage()
  await using served = await serveFencedWeb({
    executors: executors({ timeoutMs: Math.round(timeout * 1_000), directory }),
    models: [
      ...(chosen === undefined
        ? []
        : [
            {
              id: `${model?.provider}/${model?.modelId}`,
              name: model?.modelId ?? '',
              model: chosen.model,
              pictures,
            },
          ]),
      scripted,
    ],
    directory,
    port,
    ...(chosen === undefined ? { examples: [inOneLine(await readTask())] } : {}),
  })
  process.stdout.write(
    `Open ${served.url}\nConversations and their files are in ${directory}. Ctrl-C ends it.\n`,
  )
  await new Promise<void>((resolve) => {
    if (stop.signal.aborted) resolve()
    else stop.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  return stop.exitCode ?? 0
}

/** All packages run on their sources here, and so does the page: it is built of them. */
async function buildPage(): Promise<void> {
  const script = new URL('../scripts/build-page.ts', import.meta.resolve('@fenced/web'))
  const built: { readonly buildPage: () => Promise<void> } = await import(script.href)
  await built.buildPage()
}

/** It follows its script, whatever it is asked; the code really runs. */
const scripted: WebModel = {
  id: 'scripted',
  name: 'scripted (offline)',
  model: async (executor: CodeExecutor, { signal }) => {
    const { model } = await chooseScriptedModel(executor, {
      startScript: conversationScript,
      isWatched: true,
      signal,
    })
    return model
  },
}

function readGiven(argv: readonly string[]): Given | undefined {
  const command = new Command('pnpm demo web')
    .description('A page on which you watch a model work, and decide what of its code is run.')
    .option(
      '--model <provider/name>',
      'a real model beside the scripted one; its key is PROVIDER_API_KEY',
      readModel,
    )
    .option('--base-url <url>', 'a server that speaks as OpenAI’s does, with --model', readUrl)
    .option('--pictures', 'the model of --model takes pictures, and is shown what programs plot')
    .option('--port <number>', 'of 127.0.0.1', readPort, 4477)
    .option(
      '--directory <directory>',
      'where conversations and their files are kept; .local/share/fenced-demo in your home when left out',
      readDirectory,
    )
    .option('--timeout <seconds>', 'time limit for each block', readSeconds, 60)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  try {
    return command.parse([...argv], { from: 'user' }).opts<Given>()
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return undefined
    throw new UserError(
      `${error.message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ')} --help shows what there is.`,
    )
  }
}

function ownDirectory(): string {
  return join(process.env.XDG_DATA_HOME || join(homedir(), '.local/share'), 'fenced-demo')
}

function inOneLine(text: string): string {
  return text.replaceAll('\n', ' ')
}
