import type { JupyterConnectionInfo } from '@fenced/executor-jupyter'
import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import type { ApprovalChoice } from '../approval/approval-choice.ts'
import type { ModelName } from '../model/choose-model.ts'
import {
  readApproval,
  readDirectory,
  readExecutor,
  readIsolation,
  readModel,
  readPackages,
  readSeconds,
  readServer,
  readTask,
  readUrl,
} from './option-values.ts'

/** The options as commander gives them. */
export interface Given {
  readonly answer?: string
  readonly task?: string
  readonly model?: Omit<ModelName, 'baseUrl'>
  readonly baseUrl?: string
  readonly pictures?: boolean
  readonly yes?: boolean
  readonly approve?: ApprovalChoice
  /** The name of an executor, or the path of a module. */
  readonly executor?: string
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

export function createCommand(): Command {
  return (
    new Command('pnpm demo')
      .description(
        'A conversation in which a model writes code and this machine runs it. The model is scripted unless you name a real one.',
      )
      .usage('[repair | web] [options]')
      .argument(
        '[repair | web]',
        'repair: one agent instead, which repairs its own programs until they work; web: a page in your browser, with options of its own: web --help',
      )
      .allowExcessArguments()
      .helpCommand(false)
      .option('--task <text>', 'what the conversation is about; needs --model', readTask)
      .option('--model <provider/name>', 'a real model; its key is PROVIDER_API_KEY', readModel)
      .option('--base-url <url>', 'a server that speaks as OpenAI’s does, with --model', readUrl)
      .option('--pictures', 'the model of --model takes pictures, and is shown what programs plot')
      .option(
        '--approve <who>',
        'ask: you, before code is run; always: run all of it; never: run nothing, and show what would have been. Left out: ask at a terminal, else always; always for --answer',
        readApproval,
      )
      .option('--yes', 'short for --approve always')
      .option('--answer <file>', 'run the code blocks of a Markdown file instead, or of - (standard input)')
      .option('--timeout <seconds>', 'time limit for each block', readSeconds, 60)
      .option(
        '--work-dir <directory>',
        'where the code runs and its files stay; a new temporary directory when left out',
        readDirectory,
      )
      .option(
        '--executor <executor>',
        'local: on this machine, when left out; docker: in a container; jupyter: in a kernel; ./mine.ts: your own, as a module exports it',
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
      .exitOverride()
      // The error is printed by the one who catches it.
      .configureOutput({ outputError: () => {} })
  )
}
