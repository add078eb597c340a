import { nearestName } from '@fenced/core/internal'
import { CommanderError } from 'commander'
import type { ApprovalChoice } from '../approval/approval-choice.ts'
import type { ExecutorChoice } from '../executor/create-executor.ts'
import type { ModelName } from '../model/choose-model.ts'
import { UserError } from '../user-error.ts'
import { createCommand, type Given } from './command.ts'

export interface Arguments {
  /** Which of the two things that a model does here. */
  readonly command: 'conversation' | 'repair'
  /** An answer that is run instead of a conversation: a path, or `-` for standard input. */
  readonly answer: string | undefined
  /** What the conversation is about; the demo's own task when left out. */
  readonly task: string | undefined
  /** A real model; the scripted one when left out. */
  readonly model: ModelName | undefined
  /** Whether that model is shown what programs plot. */
  readonly pictures: boolean
  /** Who decides whether code is run, as far as it was said. */
  readonly approve: ApprovalChoice | undefined
  readonly timeoutMs: number
  readonly workDir: string | undefined
  readonly choice: ExecutorChoice
}

/** The options that only one kind of executor has. */
const optionsOf = {
  local: ['isolation'],
  docker: ['image', 'build', 'packages', 'network'],
  jupyter: ['python', 'server'],
} as const

/** What the command line says; `undefined` when it asked for help or the version, which has been printed then. */
export function readArguments(argv: readonly string[]): Arguments | undefined {
  const command = createCommand()
  try {
    command.parse([...withoutSeparator(argv)], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return undefined
    throw wrongUsage(error.message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' '))
  }
  const [first, ...others] = command.args
  const isRepair = first === 'repair'
  const [stray] = isRepair ? others : command.args
  if (stray !== undefined) throw strayArgument(stray)
  const given = command.opts<Given>()
  if (isRepair && given.answer !== undefined) throw wrongUsage('--answer runs a file, and repairs nothing')
  checkTogether(given)
  return {
    command: isRepair ? 'repair' : 'conversation',
    answer: given.answer,
    task: given.task,
    model: given.model === undefined ? undefined : { ...given.model, baseUrl: given.baseUrl },
    pictures: given.pictures === true,
    approve: given.yes === true ? 'always' : given.approve,
    timeoutMs: Math.round(given.timeout * 1000),
    workDir: given.workDir,
    choice: readChoice(given),
  }
}

/** pnpm hands on the `--` that people who come from npm write. */
export function withoutSeparator(argv: readonly string[]): readonly string[] {
  return argv[0] === '--' ? argv.slice(1) : argv
}

function strayArgument(text: string): UserError {
  const meant = nearestName(text, ['repair', 'web'])
  if (meant !== undefined && meant !== text)
    return wrongUsage(`"${text}" is no command. Did you mean ${meant}?`)
  return wrongUsage(`"${text}" is no option: a file is run with --answer ${text}`)
}

function checkTogether({ answer, task, model, baseUrl, pictures, yes, approve = 'always' }: Given): void {
  if (yes === true && approve !== 'always') throw wrongUsage('--yes is short for --approve always')
  if (answer === '-' && approve === 'ask')
    throw wrongUsage('--approve ask has nobody to ask where standard input is the answer')
  if (answer !== undefined && (task !== undefined || model !== undefined)) {
    throw wrongUsage('--answer runs a file: there is no conversation for --task and --model')
  }
  if (model !== undefined) return
  if (task !== undefined)
    throw wrongUsage('--task needs a real model, with --model: the scripted one knows only its own')
  if (baseUrl !== undefined) throw wrongUsage('--base-url is the address of a --model')
  if (pictures !== undefined) throw wrongUsage('--pictures are for a --model')
}

function readChoice(given: Given): ExecutorChoice {
  const { executor = 'local', isolation = 'none', build, packages = [], network = 'none' } = given
  refuseForeignOptions(executor, given)
  if (executor === 'local') return { executor, isolation }
  if (executor === 'jupyter') return { executor, python: given.python, server: given.server }
  if (executor !== 'docker') return { executor: 'module', path: executor }
  const { image = build === undefined ? 'python:3-slim' : undefined } = given
  return { executor, image, build, packages, network }
}

function refuseForeignOptions(executor: string, given: Given): void {
  for (const other of ['local', 'docker', 'jupyter'] as const) {
    const foreign =
      other === executor ? undefined : optionsOf[other].find((name) => given[name] !== undefined)
    if (foreign !== undefined)
      throw wrongUsage(`--${foreign} is for --executor ${other}, and this is ${executor}`)
  }
}

function wrongUsage(message: string): UserError {
  const sentence = /[.?]$/.test(message) ? message : `${message}.`
  return new UserError(`${sentence} --help shows what there is.`)
}
