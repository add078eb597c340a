import type { CodeBlock, CodeExecutor } from '@fenced/core'
import { type ExecuteQuestions, errorMessage } from '@fenced/core/internal'
import { autoGenClass, createMessage, heardFrom, type Message, textOf } from '../message/message.ts'
import { userMessage } from '../message/sent-and-received.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import { supportedBlocks, whyUnsupported, withheldText } from '../running/code-blocks.ts'
import type { RunContext } from '../running/run-with-events.ts'
import type { Solution } from './attempt-loop.ts'
import type { CodeExecutorAgentSettings } from './options.ts'
import { noCodeBlocksFound } from './prompts.ts'
import { runProgram } from './run-program.ts'
import type { SavedProgram } from './saved-question.ts'

interface RunGivenParts {
  readonly messages: readonly Message[]
  readonly settings: CodeExecutorAgentSettings
  readonly executor: CodeExecutor
  readonly questions: ExecuteQuestions
  readonly context: ModelContext
  readonly run: RunContext
  /** The program that was about to run when the agent was saved. */
  readonly saved?: SavedProgram | undefined
}

/**
 * What an agent without a model does: runs the programs that are new to it, or were not run since it was cancelled. Of what was begun it
 * answers with what came of it.
 */
export async function runGiven(parts: RunGivenParts): Promise<Solution> {
  const { messages, settings, executor, context, run, saved } = parts
  const { name, sources } = settings
  for (const message of messages) {
    const isText = autoGenClass(message) === 'TextMessage'
    const counts = isText && (sources === undefined || sources.includes(message.source))
    if (counts) await context.add(userMessage(message))
  }
  run.signal.throwIfAborted()
  const pending = await unanswered(context)
  const ended = pending.findLastIndex(({ source }) => source === name)
  const texts = pending.slice(ended + 1).map(textOf)
  const heard = {
    blocks: texts.flatMap((text) => supportedBlocks(text, settings, executor)),
    text: texts.join('\n\n'),
  }
  const { blocks, text } = heard.blocks.length > 0 ? heard : (unansweredProgram(saved) ?? heard)
  const outcome =
    blocks.length > 0
      ? await runBlocks(blocks, text, parts)
      : { content: withoutProgram(text, pending[ended], parts), pictures: [] }
  await context.add(createMessage({ role: 'assistant', source: name, content: outcome.content }))
  return outcome
}

/** The program of a question whose approver could not be reached. */
function unansweredProgram(saved: SavedProgram | undefined) {
  return saved && { blocks: saved.question.blocks, text: saved.question.context }
}

async function runBlocks(
  blocks: readonly CodeBlock[],
  text: string,
  { settings, executor, questions, context, run, saved }: RunGivenParts,
): Promise<Solution> {
  const { name: source, maxResultLength, pictures: bounds } = settings
  const program = {
    source,
    executor,
    questions,
    blocks,
    withheld: withheldText(text, settings, executor),
    text,
    retryAttempt: 0,
    maxResultLength,
    pictures: bounds,
    saved,
  }
  const { content, pictures } = await runProgram(program, run).catch(async (error: unknown) => {
    // It is not run with the next turn's, which may bring it again.
    const message = errorMessage(error)
    if (!run.signal.aborted) await context.add(heardFrom(source, `The code was not run: ${message}`))
    throw error
  })
  if (run.signal.aborted) await context.add(heardFrom(source, content))
  run.signal.throwIfAborted()
  return { content, pictures }
}

/** @param cancelled - what came of a program that was cancelled. */
function withoutProgram(
  text: string,
  cancelled: Message | undefined,
  { settings, executor }: RunGivenParts,
): string {
  if (cancelled !== undefined) return textOf(cancelled)
  const why = whyUnsupported(text, settings, executor)
  return why === undefined ? noCodeBlocksFound : `${noCodeBlocksFound}\n${why}`
}

/** What was said since the agent last answered, and what came of programs that were cancelled since then. */
async function unanswered(context: ModelContext): Promise<readonly Message[]> {
  const messages = await context.messages()
  return messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
}
