import { errorMessage } from '@fenced/errors'
import { noCodeBlocksFound } from '../agent/code-instructions.ts'
import { autoGenClass } from '../autogen.ts'
import { createMessage, type Message, outputMessage, textOf } from '../message/message.ts'
import { userMessage } from '../message/sent-and-received.ts'
import { writtenTextOf } from '../message/written-text.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import {
  blocksIn,
  emitSkipped,
  type HeardPrograms,
  programsAmong,
  programsOf,
  skippedText,
} from '../running/code-blocks.ts'
import { isSuspension } from '../running/questions.ts'
import type { Solution } from './attempt-loop.ts'
import { runTurnProgram, type TurnParts, type TurnProgram } from './turn.ts'

interface RunGivenParts extends TurnParts {
  readonly messages: readonly Message[]
}

/**
 * What an agent without a model does: runs the programs that are new to it, or were not run since it was cancelled. Of what was begun it
 * answers with what came of it.
 */
export async function runGiven(parts: RunGivenParts): Promise<Solution> {
  const { settings, context, run } = parts
  const { name, sources } = settings
  for (const message of parts.messages) {
    const isText = autoGenClass(message) === 'TextMessage'
    const counts = isText && (sources === undefined || sources.includes(message.source))
    if (counts) await context.add(userMessage(message))
  }
  run.signal.throwIfAborted()
  const pending = await unanswered(context)
  const ended = pending.findLastIndex(({ source }) => source === name)
  const messages = pending.slice(ended + 1)
  const heard = programsOf(messages, { ...settings, ...parts })
  await emitSkipped(name, heard.skipped, run)
  const program = heard.blocks.length > 0 ? heardProgram(heard, messages) : unansweredProgram(parts)
  const outcome =
    program === undefined
      ? { content: withoutProgram(heard, pending[ended]), origin: 'program' as const, pictures: [] }
      : await runBlocks(program, parts)
  await context.add(
    createMessage({ role: 'assistant', source: name, origin: 'program', content: outcome.content }),
  )
  return outcome
}

interface GivenProgram extends Omit<TurnProgram, 'saved'> {
  /** Whether the conversation says already that it was not run. */
  readonly isTold: boolean
  /** Keeps the other members of the team from running them. */
  readonly claim: () => void
}

function heardProgram(heard: HeardPrograms, messages: readonly Message[]): GivenProgram {
  const texts = messages.map(writtenTextOf).filter((text) => text !== '')
  return { ...heard, text: texts.join('\n\n'), retryAttempt: 0, isTold: false }
}

/** The program of a question whose approver could not be reached. */
function unansweredProgram({ saved, settings, executor }: RunGivenParts): GivenProgram | undefined {
  if (saved === undefined) return undefined
  const { blocks, context: text } = saved.question
  const { withheld } = programsAmong(blocksIn(text), { ...settings, executor })
  return { blocks, text, withheld, retryAttempt: 0, isTold: true, claim: () => {} }
}

async function runBlocks(program: GivenProgram, parts: RunGivenParts): Promise<Solution> {
  const { settings, context, run } = parts
  const { name: source } = settings
  program.claim()
  const { content, pictures, ending } = await runTurnProgram({ ...program, saved: parts.saved }, parts).catch(
    async (error: unknown) => {
      // It is not run with the next turn's, which may bring it again.
      const message = isSuspension(error) ? 'it waits for an answer.' : errorMessage(error)
      if (!run.signal.aborted && !program.isTold)
        await context.add(outputMessage(source, `The code was not run: ${message}`))
      throw error
    },
  )
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
