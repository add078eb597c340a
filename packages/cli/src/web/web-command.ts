import { once } from 'node:events'
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileLedger } from '@fenced/core'
import type { WebExecutor } from '@fenced/web'
import { terminalQuestion } from '../choose/ask-at-terminal.ts'
import { type ChosenExecutor, chooseExecutor } from '../choose/choose-executor.ts'
import { createExecutor, type ExecutorChoice, type ExecutorOptions, executorText } from '../executor.ts'
import { isModuleUrl } from '../executor-module.ts'
import { createModel, type ModelOptions } from '../model-option.ts'
import { optional } from '../optional.ts'
import { untilStopped } from '../stop-signals.ts'
import { UserError } from '../user-error.ts'

export interface WebOptions extends ExecutorOptions, ModelOptions {
  readonly model?: string
  readonly port: number
  readonly directory?: string
  /** Directory of the ledger. */
  readonly ledger?: string
}

/** Serves the page until a stop signal. @returns the exit code. */
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
      'Each conversation has a separate directory, below --directory: --work-dir is for one executor.',
    )
  const { serveFencedWeb } = await optional(() => import('@fenced/web'), 'The page', '@fenced/web ai')
  return untilStopped(async (signal) => {
    const askPerson = terminalQuestion({ signal, isStdinTaken: false })
    const executor = await pageExecutor(await chooseExecutor(options, { signal, askPerson }))
    const stopped = once(signal, 'abort')
    const directory = given === undefined ? ownDirectory() : resolve(given)
    await using served = await serveFencedWeb({
      executors: [executor],
      models:
        model === undefined
          ? []
          : [
              {
                id: model,
                name: model,
                model: await createModel(model, options),
                pictures,
                startsInReasoning,
              },
            ],
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
    id: isModuleUrl(choice.executor) ? 'module' : choice.executor,
    name: `${nameOf(choice)}${by === 'auto' ? ' (auto)' : ''}`,
    description: `Code runs ${executorText(await createExecutor(choice))}. ${reason}`,
    takesPackages: choice.executor === 'docker' && choice.pull !== 'never',
    createExecutor: ({ workDir, packages }) =>
      createExecutor({ ...choice, ...packagesOf(choice, packages), workDir }),
  }
}

function nameOf({ executor, isolation }: ExecutorChoice): string {
  if (isModuleUrl(executor)) return basename(fileURLToPath(executor))
  return isolation === undefined
    ? executor
    : `${executor}, ${isolation === 'none' ? 'no isolation' : isolation}`
}

/** Models of the command line, and models that a person has named for a conversation. */
function packagesOf(
  { packages = [] }: ExecutorChoice,
  named: readonly string[],
): Pick<ExecutorChoice, 'packages'> {
  const all = [...packages, ...named]
  return all.length === 0 ? {} : { packages: all }
}

function ownDirectory(): string {
  return join(process.env.XDG_DATA_HOME || join(homedir(), '.local/share'), 'fenced')
}
