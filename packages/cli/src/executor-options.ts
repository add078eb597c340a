import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import { isModuleUrl, type ModuleUrl, moduleUrl } from './module-url.ts'
import { type NetworkChoice, readNetworkWithoutQuestions } from './network-option.ts'

export const executorNames = ['local', 'docker', 'jupyter', 'kubernetes'] as const
export type ExecutorName = (typeof executorNames)[number]

/** Where code runs, as options of the command line. */
export interface ExecutorOptions {
  /** `auto`: see `chooseExecutor`. A module has an executor of the user's own. */
  readonly executor: 'auto' | ExecutorName | ModuleUrl
  readonly isolation?: 'none' | 'bubblewrap'
  readonly image?: string
  readonly packages?: readonly string[]
  readonly installablePackages?: readonly string[] | 'any'
  readonly python?: string
  readonly network?: NetworkChoice
  readonly workDir?: string
  readonly allowSharedWorkDir?: boolean
  /** Whether Python blocks keep their variables. */
  readonly stateful?: boolean
  /** In seconds. */
  readonly timeout?: number
  /** In seconds. */
  readonly maxWait?: number
  /** Whether one program is run. A resident Python would take longer to start than it saves. */
  readonly isSingle?: boolean
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
    readHosts,
    limited = 'time limit for each block (default: 60)',
    waiting = 'time that each block may wait for answers of people, in total (default: 600)',
  }: PeopleOptions = {},
): Command {
  return addPlaceOptions(command, readHosts)
    .option('--stateful', 'keep the variables of Python programs for later ones, in one Python process')
    .addOption(new Option('--timeout <seconds>', limited).argParser(positiveNumber))
    .addOption(new Option('--max-wait <seconds>', waiting).argParser(positiveNumber))
}

/** Adds the options that say where code runs. */
export function addPlaceOptions(command: Command, readHosts = readNetworkWithoutQuestions): Command {
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
    .addOption(
      new Option(
        '--packages <names>',
        'Python packages that the container has, such as numpy,pandas',
      ).argParser(readPackages),
    )
    .option(
      '--python <path>',
      'Python of a process or kernel on this machine: an interpreter or a virtual environment',
    )
    .addOption(
      new Option(
        '--network <hosts>',
        'what the code may reach: none, open, or hosts such as pypi.org,*.example.com; without isolation it is open',
      ).argParser(readHosts),
    )
    .option('--work-dir <path>', 'directory in which code runs (default: a temporary one)')
    .option('--allow-shared-work-dir', 'allow other sandboxes in the directory at the same time')
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

export function packagesOption(): Option {
  const text = 'Python packages that the container has, such as numpy,pandas'
  return new Option('--packages <names>', text).argParser(readPackages)
}

/** Packages that a model can install later. */
export function installablePackagesOption(): Option {
  const text =
    'Python packages that the model can install in the container, such as numpy,pandas; any for all, on the network of installations'
  const option = new Option('--installable-packages <names>', text)
  return option.argParser((names: string, earlier?: readonly string[] | 'any') =>
    names === 'any' || earlier === 'any' ? 'any' : readPackages(names, earlier),
  )
}

/** Reads names with commas between them, which may name versions: `numpy>=1,<3,pandas[excel,html]`. The option can be repeated. */
function readPackages(text: string, earlier: readonly string[] = []): readonly string[] {
  const names = text.split(/,(?![^[]*\])(?=\s*\w)/).map((name) => name.trim())
  return [...earlier, ...names.filter((name) => name !== '')]
}

/** The value of `--executor`, as the user knows it. */
export function executorTitle(executor: ExecutorOptions['executor']): string {
  return isModuleUrl(executor) ? fileURLToPath(executor) : executor
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
