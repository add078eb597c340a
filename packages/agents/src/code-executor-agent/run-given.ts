import type { CodeBlock, CodeExecutor } from '@fenced/core'
import { type ExecuteQuestions, errorMessage } from '@fenced/core/internal'
import { autoGenClass, createMessage, heardFrom, type Message, textOf } from '../message/message.ts'
import { userMessage } from '../message/sent-and-received.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import {
  blocksIn,
  blocksOf,
  isProgram,
  supportedBlocks,
  whyUnsupported,
  withheldText,
} from '../running/code-blocks.ts'
import { emitSkipped, type SkippedPrograms, sharedBlocks, skippedText } from '../running/program-claims.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { repetitionsIn, type TeamPrograms } from '../running/team-programs.ts'
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
  /** The programs that members of its team have run. */
  readonly programs: TeamPrograms | undefined
  /** The program that was about to run when the agent was saved. */
  readonly saved?: SavedProgram | undefined
}

/**
 * What an agent without a model does: runs the programs that are new to it, or were not run since it was cancelled. Of what was begun it
 * answers with what came of it.
 */
export async function runGiven(parts: RunGivenParts): Promise<Solution> {
  const { messages, settings, context, run } = parts
  const { name, sources } = settings
  for (const message of messages) {
    const isText = autoGenClass(message) === 'TextMessage'
    const counts = isText && (sources === undefined || sources.includes(message.source))
    if (counts) await context.add(userMessage(message))
  }
  run.signal.throwIfAborted()
  const pending = await unanswered(context)
  const ended = pending.findLastIndex(({ source }) => source === name)
  const heard = heardPrograms(pending.slice(ended + 1), parts)
  await emitSkipped(name, heard.skipped, run)
  const program = heard.blocks.length > 0 ? heard : unansweredProgram(parts)
  const outcome =
    program === undefined
      ? { content: withoutProgram(heard, pending[ended]), pictures: [] }
      : await runBlocks(program, parts)
  await context.add(createMessage({ role: 'assistant', source: name, content: outcome.content }))
  return outcome
}

/** What is to be run. */
interface GivenProgram {
  readonly blocks: readonly CodeBlock[]
  /** What was written around them. */
  readonly text: string
  /** The programs that are not run, for the reader of the result. */
  readonly withheld: string
  /** Keeps the other members of the team from running them. */
  readonly claim: () => void
}

interface HeardPrograms extends GivenProgram {
  readonly skipped: readonly SkippedPrograms[]
  /** Why no program is run, where there are blocks. */
  readonly why: string | undefined
}

/** Programs of messages, without those that another member has run, unless `sources` names their author. */
function heardPrograms(
  messages: readonly Message[],
  { settings, executor, programs }: RunGivenParts,
): HeardPrograms {
  const heard = messages.map((message) => {
    const isAddressed = settings.sources?.includes(message.source) === true
    return sharedBlocks(message, blocksOf(message), {
      programs,
      isAddressed,
      isProgram: (block) => isProgram(block, settings, executor),
    })
  })
  const all = messages.flatMap(blocksOf)
  const skipped = heard.flatMap((one) => one.skipped)
  return {
    blocks: heard.flatMap(({ blocks }) => supportedBlocks(blocks, settings, executor)),
    text: messages.map(textOf).join('\n\n'),
    withheld: `${skippedText(skipped)}${withheldText(all, settings, executor)}`,
    skipped,
    why: whyUnsupported(all, settings, executor),
    claim: () => {
      for (const { claim } of heard) claim()
    },
  }
}

/** The program of a question whose approver could not be reached. */
function unansweredProgram({ saved, settings, executor }: RunGivenParts): GivenProgram | undefined {
  if (saved === undefined) return undefined
  const { blocks, context: text } = saved.question
  return { blocks, text, withheld: withheldText(blocksIn(text), settings, executor), claim: () => {} }
}

async function runBlocks(
  { blocks, text, withheld, claim }: GivenProgram,
  { settings, executor, questions, context, run, programs, saved }: RunGivenParts,
): Promise<Solution> {
  const { name: source, maxResultLength, pictures: bounds } = settings
  const program = {
    ...{ source, executor, questions, blocks, withheld, text, retryAttempt: 0 },
    ...{ maxResultLength, pictures: bounds, repetitions: repetitionsIn(programs), saved },
  }
  claim()
  const { content, pictures, ending } = await runProgram(program, run).catch(async (error: unknown) => {
    // It is not run with the next turn's, which may bring it again.
    const message = errorMessage(error)
    if (!run.signal.aborted) await context.add(heardFrom(source, `The code was not run: ${message}`))
    throw error
  })
  if (run.signal.aborted) await context.add(heardFrom(source, content))
  run.signal.throwIfAborted()
  return { content, pictures, ...(ending === undefined ? {} : { stopReason: ending, endsRun: true }) }
}

/** @param cancelled - what came of a program that was cancelled. */
function withoutProgram({ skipped, why }: HeardPrograms, cancelled: Message | undefined): string {
  if (cancelled !== undefined) return textOf(cancelled)
  if (skipped.length > 0) return skippedText(skipped).trimEnd()
  return why === undefined ? noCodeBlocksFound : `${noCodeBlocksFound}\n${why}`
}

/** What was said since the agent last answered, and what came of programs that were cancelled since then. */
async function unanswered(context: ModelContext): Promise<readonly Message[]> {
  const messages = await context.messages()
  return messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
}
