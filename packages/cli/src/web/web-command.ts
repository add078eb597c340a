import { once } from 'node:events'
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CodeExecutor, fileLedger } from '@fenced/core'
import type { WebExecutor, WebModel } from '@fenced/web'
import { terminalQuestion } from '../choose/ask-at-terminal.ts'
import { type ChosenExecutor, chooseExecutor } from '../choose/choose-executor.ts'
import { createExecutor, executorText } from '../executor.ts'
import type { ExecutorChoice, ExecutorOptions } from '../executor-options.ts'
import { createModel, type ModelOptions } from '../model-option.ts'
import { isModuleUrl } from '../module-url.ts'
import { untilStopped } from '../stop-signals.ts'
import { optional, UserError } from '../user-error.ts'

export interface WebOptions extends ExecutorOptions, ModelOptions {
  readonly model?: string
  readonly port: number
  readonly directory?: string
  /** Directory of the ledger. */
  readonly ledger?: string
}

/** Serves the page until a stop signal. @returns the exit code. */
export async function web(options: WebOptions): Promise<number> {
  const { model, port, ledger, workDir } = options
  if (workDir !== undefined)
    throw new UserError(
      'Each conversation has a separate directory, below --directory: --work-dir is for one executor.',
    )
  const { serveFencedWeb } = await optional(() => import('@fenced/web'), 'The page', '@fenced/web ai')
  // First: without a key, the command does nothing else.
  const models = model === undefined ? [] : [await pageModel(model, options)]
  return untilStopped(async (signal) => {
    const askPerson = terminalQuestion({ signal, isStdinTaken: false })
    const chosen = await chooseExecutor(options, { signal, askPerson })
    const described = await createExecutor(chosen.choice)
    const executor = pageExecutor(chosen, described)
    const stopped = once(signal, 'abort')
    const directory = options.directory === undefined ? ownDirectory() : resolve(options.directory)
    await using served = await serveFencedWeb({
      executors: [executor],
      models,
      directory,
      port,
      ledger: ledger === undefined ? undefined : fileLedger(ledger),
    })
    process.stdout.write(
      `Open ${served.url}\nCode runs ${executorText(described)}. ${chosen.reason}\n${modelText(model)}Conversations and their files are in ${directory}. Ctrl-C ends it.\n`,
    )
    await stopped
    return 0
  })
}

function modelText(model: string | undefined): string {
  if (model !== undefined) return ''
  return 'No model: the page runs documents only. For a model, use --model NAME, and --base-url URL for your own server.\n'
}

/** The executor of each conversation. Its name on the page says where code runs. */
function pageExecutor({ choice, by, reason }: ChosenExecutor, describedBy: CodeExecutor): WebExecutor {
  return {
    id: isModuleUrl(choice.executor) ? 'module' : choice.executor,
    name: `${nameOf(choice)}${by === 'auto' ? ' (auto)' : ''}`,
    description: reason,
    describedBy,
    takesPackages: choice.executor === 'docker' && choice.pull !== 'never',
    // Packages of the command line, and packages that a person has named for a conversation.
    createExecutor: ({ workDir, packages }) =>
      createExecutor({ ...choice, packages: [...(choice.packages ?? []), ...packages], workDir }),
  }
}

async function pageModel(id: string, options: WebOptions): Promise<WebModel> {
  const { pictures, reasoning: startsInReasoning } = options
  return { id, name: id, model: await createModel(id, options), pictures, startsInReasoning }
}

function nameOf({ executor, isolation }: ExecutorChoice): string {
  if (isModuleUrl(executor)) return basename(fileURLToPath(executor))
  return isolation === undefined
    ? executor
    : `${executor}, ${isolation === 'none' ? 'no isolation' : isolation}`
}

function ownDirectory(): string {
  return join(process.env.XDG_DATA_HOME || join(homedir(), '.local/share'), 'fenced')
}
