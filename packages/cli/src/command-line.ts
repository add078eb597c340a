import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { completion, shells } from './completion-command.ts'
import { checks } from './doctor/checks.ts'
import { version } from './embedded.ts'
import {
  addExecutorOptions,
  addPlaceOptions,
  installablePackagesOption,
  packagesOption,
  positiveNumber,
} from './executor-options.ts'
import { addModelOptions } from './model-option.ts'
import { readNetwork } from './network-option.ts'

const ledgerText = 'record each answer of --ask in this directory, which programs cannot write'

/** The command `fenced`. Each action loads what it needs. @param done - called with the exit code. */
export function commandLine(done: (exitCode: number) => void): Command {
  const program = new Command('fenced')
    .description('Runs the code that a model writes.')
    .version(version)
    .configureOutput({
      outputError: (message, print) => print(message.replace(/^error: /, 'fenced: ')),
    })
    // For options of the command of `fenced shell`.
    .enablePositionalOptions()
    .showHelpAfterError('(fenced --help shows how it is used)')
    // As of `grep` and many others, for wrong arguments.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))

  addExecutorOptions(
    program
      .command('run')
      .description('runs the code blocks of a Markdown text, each as soon as its closing fence is read')
      .argument('<file>', 'the text, or - for standard input'),
    { readHosts: readNetwork },
  )
    .option('--json', 'print every event as a line of JSON', false)
    .option(
      '--port <number>',
      'let a browser on this machine open this port of the code, at an address that is printed',
      portNumber,
    )
    .option(
      '--ask',
      'ask at the terminal before each program, and about hosts that --network does not name',
      false,
    )
    .option('--ledger <directory>', ledgerText)
    .option(
      '--tty',
      'give the programs your terminal, so that they can read keys; without a time limit',
      false,
    )
    .option('--reasoning', 'the text begins in the middle of reasoning, before its </think>', false)
    .option('--usage', 'print the processor time, memory and traffic of each program', false)
    .option('-q, --quiet', 'print nothing but what programs print', false)
    .action(async (file, options) => {
      if (options.tty) {
        const { runWithTty } = await import('./shell/run-with-tty.ts')
        return done(await runWithTty(file, options))
      }
      const { run } = await import('./run/run-command.ts')
      done(await run(file, options))
    })

  addPlaceOptions(
    program
      .command('shell')
      .description('runs a command in a sandbox, in your terminal; its files are kept in --work-dir')
      .argument('[command...]', 'program and arguments (default: bash, or sh)')
      .passThroughOptions(),
  ).action(async (command, options) => {
    const { shell } = await import('./shell/shell-command.ts')
    done(await shell(command, options))
  })

  addModelOptions(
    addExecutorOptions(
      program
        .command('chat')
        .description('a conversation at the terminal: a model writes programs, you decide, and they run')
        .argument('[task]', 'task for the model; prompted at the terminal by default'),
    ).requiredOption('--model <id>', 'a model of --base-url'),
  )
    .option('-y, --yes', 'run all programs without a question', false)
    .action(async (task, options) => {
      const { chat } = await import('./chat/chat-command.ts')
      done(await chat(task, options))
    })

  program
    .command('extract')
    .description('prints the code blocks of a Markdown text, and runs nothing')
    .argument('<file>', 'the text, or - for standard input')
    .option('--language <name>', 'only blocks of this language')
    .option('--block <number>', 'only this block, from 1', wholeNumber)
    .option('--reasoning', 'the text begins in the middle of reasoning, before its </think>', false)
    .option('--json', 'print a list of { language, code, ... }', false)
    .action(async (file, options) => {
      const { extract } = await import('./extract-command.ts')
      done(await extract(file, options))
    })

  program
    .command('notebook')
    .description('runs the cells of a notebook in a Jupyter kernel, and writes it with their outputs')
    .argument('<file>', 'the notebook, or - for standard input')
    .option(
      '-o, --output <file>',
      'where the notebook is written, or - for standard output (default: in.out.ipynb for in.ipynb)',
    )
    .addOption(
      new Option('-e, --executor <name>', 'where cells run: a kernel on this machine, or one in a container')
        .choices(['jupyter', 'docker'])
        .default('jupyter'),
    )
    .addOption(
      new Option(
        '--isolation <kind>',
        'what is between the kernel and this machine (default: none, which lets cells read your files and use your network)',
      ).choices(['none', 'bubblewrap']),
    )
    .option('--image <name>', 'image of the container, in which Jupyter is installed')
    .addOption(packagesOption())
    .option('--python <path>', 'Python that has the kernel')
    .option(
      '--work-dir <path>',
      'directory in which cells run (default: the notebook’s directory, or a temporary one with isolation)',
    )
    .option('--timeout <seconds>', 'time limit for each cell (default: 60)', positiveNumber)
    .option('--allow-errors', 'continue after a cell that fails', false)
    // Only for its advice.
    .addOption(new Option('--stateful').hideHelp())
    .action(async (file, options) => {
      const { runNotebook } = await import('./notebook/notebook-command.ts')
      done(await runNotebook(file, options))
    })

  program
    .command('doctor')
    .description('says what works on this machine, and what to do about what does not')
    .addArgument(new Argument('[check...]', 'only these').choices(checks))
    .option('--json', 'print a list of { check, works, detail, repair, code, data }', false)
    .action(async (names, options) => {
      const { doctor } = await import('./doctor/doctor-command.ts')
      done(await doctor(names, options))
    })

  addExecutorOptions(
    program
      .command('mcp')
      .description(
        'serves a sandbox to a client of the Model Context Protocol, over standard input and output',
      ),
    {
      limited: 'time limit for each program, including the wait for a sandbox (default: 600)',
      waiting: 'time that a question of --ask can be answered (default: 3600)',
    },
  )
    .option(
      '--http',
      'serve over HTTP on 127.0.0.1 instead; address and token are printed on standard error',
      false,
    )
    .option('--port <number>', 'port of --http; 0 for a free port', wholeNumberOrZero, 0)
    .option(
      '--allow-host <name>',
      'further host name that clients use with --http, such as host.docker.internal; the address stays 127.0.0.1',
      hostNames,
    )
    .option('--max-sandboxes <number>', 'maximum number of sandboxes, with --http', wholeNumber, 10)
    .addOption(installablePackagesOption())
    .option(
      '--ask',
      'let the client ask a person before each program, each installation and each written file',
      false,
    )
    .option('--ledger <directory>', ledgerText)
    .action(async (options) => {
      const { mcp } = await import('./mcp/mcp-command.ts')
      done(await mcp(options))
    })

  addModelOptions(
    addExecutorOptions(
      program
        .command('web')
        .description('a page on 127.0.0.1 to watch a model work, and to decide what of its code is run'),
      { readHosts: readNetwork },
    ).option('--model <id>', 'a model of --base-url; without one only documents are run'),
  )
    .option('--port <number>', 'port to listen on; 0 for a free port', wholeNumberOrZero, 4477)
    .option(
      '--directory <path>',
      'where conversations and their files are kept (default: ~/.local/share/fenced)',
    )
    .option('--ledger <directory>', 'record each decision in this directory, which programs cannot write')
    .action(async (options) => {
      const { web } = await import('./web/web-command.ts')
      done(await web(options))
    })

  program
    .command('completion')
    .description('prints a script that completes commands and options: source <(fenced completion bash)')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell) => {
      process.stdout.write(completion(program, shell))
      done(0)
    })
  return program
}

function wholeNumberOrZero(text: string): number {
  return text === '0' ? 0 : wholeNumber(text)
}

function portNumber(text: string): number {
  const number = wholeNumber(text)
  if (number <= 65_535) return number
  throw new InvalidArgumentError('It must be a port, up to 65535.')
}

/** The option can be repeated. A port is not part of the name. */
function hostNames(text: string, earlier: readonly string[] = []): readonly string[] {
  if (/^[\w.-]+$|^\[[\da-f:]+\]$/i.test(text)) return [...earlier, text.toLowerCase()]
  throw new InvalidArgumentError('It must be a host name without a port.')
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1.')
}
