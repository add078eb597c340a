import { errorMessage } from '@fenced/errors'
import { autoGenClass } from '../autogen.ts'
import { createMessage, type Message, outputMessage, textOf } from '../message/message.ts'
import { userMessage } from '../message/sent-and-received.ts'
import { writtenTextOf } from '../message/written-text.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import {
  blocksIn,
  blocksOf,
  isProgram,
  supportedBlocks,
  whyUnsupported,
  withheldText,
} from '../running/code-blocks.ts'
import { isSuspension } from '../running/given-answers.ts'
import { emitSkipped, type SkippedPrograms, sharedBlocks, skippedText } from '../running/team-programs.ts'
import type { Solution } from './attempt-loop.ts'
import { noCodeBlocksFound } from './prompts.ts'
import { runTurnProgram, type TurnParts, type TurnProgram } from './run-program.ts'

interface RunGivenParts extends TurnParts {
  readonly messages: readonly Message[]
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
      ? { content: withoutProgram(heard, pending[ended]), origin: 'program' as const, pictures: [] }
      : await runBlocks(program, parts)
  await context.add(
    createMessage({ role: 'assistant', source: name, origin: 'program', content: outcome.content }),
  )
  return outcome
}

interface GivenProgram extends TurnProgram {
  /** Whether the conversation says already that it was not run. */
  readonly isTold: boolean
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
  { settings, executor, programs, saved }: RunGivenParts,
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
    text: messages
      .map(writtenTextOf)
      .filter((text) => text !== '')
      .join('\n\n'),
    withheld: `${skippedText(skipped)}${withheldText(all, settings, executor)}`,
    retryAttempt: 0,
    saved,
    isTold: false,
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
  const withheld = withheldText(blocksIn(text), settings, executor)
  return { blocks, text, withheld, retryAttempt: 0, saved, isTold: true, claim: () => {} }
}

async function runBlocks(program: GivenProgram, parts: RunGivenParts): Promise<Solution> {
  const { settings, context, run } = parts
  const { name: source } = settings
  program.claim()
  const { content, pictures, ending } = await runTurnProgram(program, parts).catch(async (error: unknown) => {
    // It is not run with the next turn's, which may bring it again.
    const message = isSuspension(error) ? 'it waits for an answer.' : errorMessage(error)
    if (!run.signal.aborted && !program.isTold)
      await context.add(outputMessage(source, `The code was not run: ${message}`))
    throw error
  })
  if (run.signal.aborted) await context.add(outputMessage(source, content))
  run.signal.throwIfAborted()
  return {
    content,
    origin: 'program',
    pictures,
    ...(ending === undefined ? {} : { stopReason: ending, endsRun: true }),
  }
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
