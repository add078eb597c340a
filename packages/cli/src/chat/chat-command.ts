import { terminalQuestion } from '../choose/ask-at-terminal.ts'
import { chooseExecutor } from '../choose/choose-executor.ts'
import { createExecutor } from '../executor.ts'
import type { ExecutorOptions } from '../executor-options.ts'
import { createModel, type ModelOptions } from '../model-option.ts'
import { note } from '../run/output-printer.ts'
import { untilStopped } from '../stop-signals.ts'
import { optional, UserError } from '../user-error.ts'
import { introduction } from './introduction.ts'

export interface ChatOptions extends ExecutorOptions, ModelOptions {
  readonly model: string
  /** Whether programs run without a question. */
  readonly yes: boolean
}

/** Lets a model and the person at the terminal work on a task. @returns 0 if the last program ended well. */
export async function chat(task: string | undefined, options: ChatOptions): Promise<number> {
  const asks = !options.yes
  if (!isAtTerminal()) checkUnattended(task, asks)
  const { converse } = await optional(
    () => import('./converse.ts'),
    'A chat',
    '@fenced/agents @fenced/terminal ai @ai-sdk/openai-compatible',
  )
  const model = await createModel(options.model, options)
  return untilStopped(async (signal, interrupt) => {
    const askPerson = asks ? terminalQuestion({ signal, isStdinTaken: false }) : undefined
    const { choice, reason } = await chooseExecutor(options, { signal, askPerson })
    const executor = await createExecutor(choice)
    try {
      await executor.start({ signal, onNotice: ({ message }) => void note(message) })
      process.stdout.write(introduction(executor, { ...options, asks, reason }))
      const endedWell = await converse({ ...options, task, model, executor, asks, signal, interrupt })
      return endedWell ? 0 : 1
    } finally {
      await executor.stop()
    }
  })
}

function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true
}

/** @throws UserError for what only a person at a terminal can add. */
function checkUnattended(task: string | undefined, asks: boolean): void {
  if (asks)
    throw new UserError(
      'No person can be asked: this is not a terminal. Start fenced chat in a terminal, or add --yes to run all programs without a question.',
    )
  if (task === undefined)
    throw new UserError('The task is missing, and this is not a terminal. Add the task as an argument.')
}
