import type { CodeBlock } from '@fenced/core'
import { outputMessage } from '../message/message.ts'
import { isCut } from '../model/call-model.ts'
import type { ModelReply } from '../model/model-request.ts'
import { blocksIn, supportedBlocks, whyUnsupported, withheldText } from '../running/code-blocks.ts'
import type { ModelSession } from './model-session.ts'
import type { SavedProgram, TurnParts } from './run-program.ts'

export interface WrittenProgram {
  readonly text: string
  /** Absent where it was written before the agent was saved. */
  readonly reply?: ModelReply
  /** None where the model wants nothing to be run. */
  readonly blocks: readonly CodeBlock[]
  /** The programs that are not run, for the model. */
  readonly withheld: string
}

/** What an agent with a model works with while it answers. */
export interface SessionParts extends TurnParts {
  readonly session: ModelSession
}

/** Asks for programs. A model that sends blocks none of which is run learns why, once: its answer may be meant so. */
export function writer(parts: SessionParts): () => Promise<WrittenProgram> {
  const { settings, executor, context, session, run } = parts
  let isTold = false
  const { name: agent } = settings
  const ask = async () => {
    const reply = await session.answer()
    return { reply, all: blocksIn(reply.text, { isCut: isCut(reply) }) }
  }
  return async () => {
    let { reply, all } = await ask()
    const why = hasProgram(all) ? undefined : whyUnsupported(all, settings, executor)
    if (!isTold && why !== undefined) {
      isTold = true
      await run.emit({ type: 'notice', agent, notice: { code: 'not-run', message: why } })
      await context.add(outputMessage(agent, `${why}\n${answerAgain}`))
      ;({ reply, all } = await ask())
    }
    const blocks = supportedBlocks(all, settings, executor)
    return { text: reply.text, reply, blocks, withheld: withheldText(all, settings, executor) }
  }

  function hasProgram(blocks: readonly CodeBlock[]): boolean {
    return supportedBlocks(blocks, settings, executor).length > 0
  }
}

const answerAgain =
  'If one of these blocks is a program, send it again under a language that is run. If nothing was to be run, give your whole answer again.'

/** What was written before the agent was saved. It is part of the conversation already. */
export function writtenBefore(
  { question: { context: text, blocks } }: SavedProgram,
  { settings, executor }: SessionParts,
): WrittenProgram {
  return { text, blocks, withheld: withheldText(blocksIn(text), settings, executor) }
}
