import { fileURLToPath } from 'node:url'
import type { CodeExecutor } from '@fenced/core'
import { definedOptions, isolationTexts } from '@fenced/core/internal'
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import { isModuleUrl, loadExecutorModule, type ModuleUrl, moduleUrl } from './executor-module.ts'
import { type NetworkChoice, readNetworkWithoutQuestions } from './network-option.ts'
import { optional } from './user-error.ts'

export const executorNames = ['local', 'docker', 'jupyter', 'kubernetes'] as const
export type ExecutorName = (typeof executorNames)[number]

/** Where code runs, as options of the command line. */
export interface ExecutorOptions {
  /** `auto`: see `chooseExecutor`. A module has an executor of the user's own. */
  readonly executor: 'auto' | ExecutorName | ModuleUrl
  readonly isolation?: 'none' | 'bubblewrap'
  readonly image?: string
  readonly packages?: string[]
  readonly python?: string
  readonly network?: NetworkChoice
  readonly workDir?: string
  readonly allowSharedWorkDir?: boolean
  /** In seconds. */
  readonly timeout?: number
  /** In seconds. */
  readonly maxWait?: number
}

/** Where code runs, once it is decided. */
export interface ExecutorChoice extends ExecutorOptions {
  readonly executor: ExecutorName | ModuleUrl
  /** `never`: the engine must have the image. */
  readonly pull?: 'never'
}

/** How a command asks people. */
interface PeopleOptions {
  /** Reads `--network`. */
  readonly readHosts?: (text: string) => NetworkChoice
  /** What `--timeout` limits, for the help. */
  readonly limited?: string
  /** What `--max-wait` limits, for the help. */
  readonly waiting?: string
}

/** Adds the options that say where code runs and how long. */
export function addExecutorOptions(
  command: Command,
  {
    readHosts = readNetworkWithoutQuestions,
    limited = 'time limit for each block (default: 60)',
    waiting = 'time that each block may wait for answers of people, in total (default: 600)',
  }: PeopleOptions = {},
): Command {
  return command
    .addOption(
      new Option(
        '-e, --executor <name>',
        'where code runs; auto takes bubblewrap where it works, else a container, and nothing without isolation; a path such as ./mine.ts is a module with your own executor',
      )
        .choices(['auto', ...executorNames])
        .default('auto')
        .argParser(readExecutor),
    )
    .addOption(
      new Option(
        '--isolation <kind>',
        'what is between a process or kernel and this machine; none lets code read your files and use your network',
      ).choices(['none', 'bubblewrap']),
    )
    .option('--image <name>', 'image of the container or pod')
    .option('--packages <name...>', 'Python packages that the container has')
    .option(
      '--python <path>',
      'Python of a process or kernel on this machine: an interpreter or a virtual environment',
    )
    .addOption(
      new Option(
        '--network <hosts>',
        'what the code may reach: hosts such as pypi.org,*.example.com, or all; without isolation it reaches all anyway',
      ).argParser(readHosts),
    )
    .option('--work-dir <path>', 'directory in which code runs (default: a temporary one)')
    .option('--allow-shared-work-dir', 'allow other sandboxes in the directory at the same time')
    .addOption(new Option('--timeout <seconds>', limited).argParser(positiveNumber))
    .addOption(new Option('--max-wait <seconds>', waiting).argParser(positiveNumber))
}

/** @throws InvalidArgumentError */
function readExecutor(text: string): ExecutorOptions['executor'] {
  const known = (['auto', ...executorNames] as const).find((name) => name === text)
  const executor = known ?? moduleUrl(text)
  if (executor !== undefined) return executor
  throw new InvalidArgumentError(
    `Allowed choices are auto, ${executorNames.join(', ')}, or the path of a module such as ./mine.ts.`,
  )
}

/**
 * Makes executors of one kind.
 *
 * @param place - where an executor works unless `--work-dir` says it. Default: a temporary directory.
 */
export type ExecutorFactory = (place?: { readonly workDir: string }) => CodeExecutor

/**
 * Loads only the package of the executor that is asked for, and returns what makes such executors. Options that are not given
 * are those of its package.
 *
 * @throws UserError where its package is not installed.
 */
export async function executorFactory(options: ExecutorChoice): Promise<ExecutorFactory> {
  const { executor, isolation, image, packages, pull, python, timeout, maxWait } = options
  const network = options.network?.policy
  const common = (place: { readonly workDir: string } | undefined) =>
    definedOptions({
      timeoutMs: milliseconds(timeout),
      maxWaitMs: milliseconds(maxWait),
      workDir: options.workDir ?? place?.workDir,
      allowSharedWorkDir: options.allowSharedWorkDir,
    })
  if (isModuleUrl(executor)) {
    const create = await loadExecutorModule(executor)
    return (place) => create(common(place))
  }
  switch (executor) {
    case 'local': {
      const { LocalCommandLineCodeExecutor } = await import('@fenced/executor-local')
      return (place) => new LocalCommandLineCodeExecutor({ ...common(place), python, isolation, network })
    }
    case 'docker': {
      const { DockerCommandLineCodeExecutor } = await import('@fenced/executor-docker')
      const container = { image, packages, pull, network }
      return (place) => new DockerCommandLineCodeExecutor({ ...common(place), ...container })
    }
    case 'jupyter': {
      const { JupyterCodeExecutor } = await import('@fenced/executor-jupyter')
      return (place) => new JupyterCodeExecutor({ ...common(place), python, isolation, network })
    }
    case 'kubernetes': {
      const { KubernetesCommandLineCodeExecutor } = await optional(
        () => import('@fenced/executor-kubernetes'),
        'A pod',
        '@fenced/executor-kubernetes',
      )
      const pod = { network, ...(image === undefined ? {} : { pod: { image } }) }
      return (place) => new KubernetesCommandLineCodeExecutor({ ...common(place), ...pod })
    }
  }
}

/** One executor: see {@link executorFactory}. */
export async function createExecutor(options: ExecutorChoice): Promise<CodeExecutor> {
  const create = await executorFactory(options)
  return create()
}

/** The value of `--executor`, as the user knows it. */
export function executorTitle(executor: ExecutorOptions['executor']): string {
  return isModuleUrl(executor) ? fileURLToPath(executor) : executor
}

/** What is between the code and this machine, in words. */
export function executorText({ name, capabilities }: CodeExecutor): string {
  const { isolation, network, isolationParticulars: { allowedHosts } = {} } = capabilities
  const hosts = allowedHosts === '' ? 'no host until you allow it' : `only ${allowedHosts}`
  const reach = allowedHosts === undefined ? 'with a network' : `with a network that reaches ${hosts}`
  return `${isolationTexts[isolation]}, ${network ? reach : 'without network'} (${name})`
}

/** Seconds of the command line as whole milliseconds. */
export function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.max(1, Math.round(seconds * 1_000))
}

/** @throws InvalidArgumentError */
export function positiveNumber(text: string): number {
  const number = Number(text)
  if (number > 0 && Number.isFinite(number)) return number
  throw new InvalidArgumentError('It must be a positive number.')
}
