import { Command, CommanderError, InvalidArgumentError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { UserError } from './user-error.ts'

export interface Arguments {
  /** A path, `-` for standard input, or nothing for the bundled answer. */
  readonly file: string | undefined
  readonly timeoutMs: number
  readonly workDir: string | undefined
  readonly isolation: 'none' | 'bubblewrap'
}

/** What the command line says; `undefined` when it asked for help or the version, which has been printed then. */
export function readArguments(argv: readonly string[]): Arguments | undefined {
  const command = createCommand()
  try {
    // pnpm hands on the `--` that people who come from npm write.
    command.parse(argv[0] === '--' ? argv.slice(1) : argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return undefined
    const message = error.message.replace(/^error: /, '').replace(/\.?$/, '.')
    throw new UserError(`${message} --help shows what there is.`)
  }
  const { timeout, workDir, isolation } = command.opts()
  return {
    file: command.args[0],
    timeoutMs: Math.round(timeout * 1000),
    workDir,
    isolation: isolation ?? 'none',
  }
}

function createCommand(): Command {
  return (
    new Command('pnpm demo')
      .description('Runs the code blocks of a model’s Markdown answer on this machine.')
      .argument('[answer]', 'a Markdown file, or - for standard input; a bundled answer when left out')
      .option('--timeout <seconds>', 'time limit for each block', readSeconds, 60)
      .option(
        '--work-dir <directory>',
        'where the code runs and its files stay; a new temporary directory when left out',
        readDirectory,
      )
      .option(
        '--isolation <kind>',
        'bubblewrap: a sandbox without network that writes only there',
        readIsolation,
      )
      .version(manifest.version)
      .allowExcessArguments(false)
      .exitOverride()
      // The error is printed by the one who catches it.
      .configureOutput({ outputError: () => {} })
  )
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

function readIsolation(text: string): string {
  if (text !== 'none' && text !== 'bubblewrap') throw new InvalidArgumentError('It is none or bubblewrap.')
  return text
}
