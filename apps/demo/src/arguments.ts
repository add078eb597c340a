import type { JupyterConnectionInfo } from '@fenced/executor-jupyter'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import type { Place } from './place.ts'
import { UserError } from './user-error.ts'

export interface Arguments {
  /** A path, `-` for standard input, or nothing for the bundled answer. */
  readonly file: string | undefined
  readonly timeoutMs: number
  readonly workDir: string | undefined
  readonly place: Place
}

/** The options as commander gives them. */
interface Given {
  readonly executor?: Place['executor']
  readonly timeout: number
  readonly workDir?: string
  readonly isolation?: 'none' | 'bubblewrap'
  readonly image?: string
  readonly build?: string
  readonly packages?: readonly string[]
  readonly network?: string
  readonly python?: string
  readonly server?: JupyterConnectionInfo
}

/** The options that only one kind of place has. */
const optionsOf = {
  local: ['isolation'],
  docker: ['image', 'build', 'packages', 'network'],
  jupyter: ['python', 'server'],
} as const

/** What the command line says; `undefined` when it asked for help or the version, which has been printed then. */
export function readArguments(argv: readonly string[]): Arguments | undefined {
  const command = createCommand()
  try {
    // pnpm hands on the `--` that people who come from npm write.
    command.parse(argv[0] === '--' ? argv.slice(1) : argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return undefined
    throw wrongUsage(error.message.replace(/^error: /, ''))
  }
  const given = command.opts<Given>()
  return {
    file: command.args[0],
    timeoutMs: Math.round(given.timeout * 1000),
    workDir: given.workDir,
    place: readPlace(given),
  }
}

function createCommand(): Command {
  return (
    new Command('pnpm demo')
      .description('Runs the code blocks of a model’s Markdown answer.')
      .argument('[answer]', 'a Markdown file, or - for standard input; a bundled answer when left out')
      .option('--timeout <seconds>', 'time limit for each block', readSeconds, 60)
      .option(
        '--work-dir <directory>',
        'where the code runs and its files stay; a new temporary directory when left out',
        readDirectory,
      )
      .option(
        '--executor <place>',
        'local: on this machine, when left out; docker: in a container; jupyter: in a kernel',
        readExecutor,
      )
      .version(manifest.version)
      .optionsGroup('Options of --executor local:')
      .option(
        '--isolation <kind>',
        'bubblewrap: a sandbox without network that writes only there',
        readIsolation,
      )
      .optionsGroup('Options of --executor docker:')
      .option(
        '--image <name>',
        'what the container is made of, pulled when missing; python:3-slim when left out',
      )
      .option('--build <directory>', 'builds the image from the Dockerfile there', readDirectory)
      .option('--packages <names>', 'Python packages that are added to it: numpy,pandas', readPackages)
      .option('--network <name>', 'a network for the code, such as bridge; none when left out')
      .optionsGroup('Options of --executor jupyter:')
      .option('--python <path>', 'a Python or virtual environment that has ipykernel; python3 when left out')
      .option('--server <url>', 'a running Jupyter server, with its token in ?token=', readServer)
      .allowExcessArguments(false)
      .exitOverride()
      // The error is printed by the one who catches it.
      .configureOutput({ outputError: () => {} })
  )
}

function readPlace(given: Given): Place {
  const { executor = 'local', isolation = 'none', build, packages = [], network = 'none' } = given
  refuseForeignOptions(executor, given)
  if (executor === 'local') return { executor, isolation }
  if (executor === 'jupyter') return { executor, python: given.python, server: given.server }
  const { image = build === undefined ? 'python:3-slim' : undefined } = given
  return { executor, image, build, packages, network }
}

function refuseForeignOptions(executor: Place['executor'], given: Given): void {
  for (const other of ['local', 'docker', 'jupyter'] as const) {
    const foreign =
      other === executor ? undefined : optionsOf[other].find((name) => given[name] !== undefined)
    if (foreign !== undefined)
      throw wrongUsage(`--${foreign} is for --executor ${other}, and this is ${executor}`)
  }
}

function wrongUsage(message: string): UserError {
  return new UserError(`${message.replace(/\.?$/, '.')} --help shows what there is.`)
}

function readSeconds(text: string): number {
  const seconds = Number(text.trim() || Number.NaN)
  if (!(seconds >= 0.001 && seconds <= 86_400)) {
    throw new InvalidArgumentError('It is a number of seconds, from 0.001 to 86400.')
  }
  return seconds
}

function readDirectory(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is the path of a directory.')
  return text
}

function readExecutor(text: string): string {
  if (!['local', 'docker', 'jupyter'].includes(text)) {
    throw new InvalidArgumentError('It is local, docker or jupyter.')
  }
  return text
}

/** As `jupyter server list` shows it. */
function readServer(text: string): JupyterConnectionInfo {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('It is an address such as http://127.0.0.1:8888/?token=...')
  }
  const token = url.searchParams.get('token')
  return {
    host: url.hostname,
    useHttps: url.protocol === 'https:',
    baseUrl: url.pathname,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    ...(token === null ? {} : { token }),
  }
}

function readIsolation(text: string): string {
  if (text !== 'none' && text !== 'bubblewrap') throw new InvalidArgumentError('It is none or bubblewrap.')
  return text
}

/** Also as pip takes them: the commas in `numpy>=1,<2` and `httpx[http2,socks]` are none of ours. */
function readPackages(text: string): readonly string[] {
  const packages = text.split(/,(?![^[]*\])(?!\s*[<>=!~])/).map((name) => name.trim())
  if (packages.includes(''))
    throw new InvalidArgumentError('It is names of packages, with commas in between.')
  return packages
}
