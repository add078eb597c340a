import type { Notice } from '@fenced/core'
import type { ModelMessage } from 'ai'
import { blocksIn } from '../running/code-blocks.ts'
import { isCut } from './call-model.ts'
import { type AskingAgent, type ModelClient, withModelEvents } from './model-client.ts'
import type { ModelReply, ModelRequest } from './model-request.ts'

/**
 * Asks for an answer, and once more where it was cut off at the limit of tokens. Both together are the answer. A block without an end
 * is left out and asked for again: half a program may do the opposite of the whole one.
 */
export async function requestWholeAnswer(
  asking: AskingAgent,
  model: ModelClient,
  request: ModelRequest,
): Promise<ModelReply> {
  const { agent, run } = asking
  const ask = (more: readonly ModelMessage[] = []) =>
    withModelEvents(asking, (options) =>
      model.ask({ ...request, messages: [...request.messages, ...more] }, options),
    )
  const reply = await ask()
  if (!isCut(reply)) return reply
  const { text, content, modelId } = reply
  const { notice, request: toContinue, joinedWith } = cutAnswer(text, modelId)
  await run.emit({ type: 'notice', agent, notice })
  const continuation = await ask([
    { role: 'assistant', content },
    { role: 'user', content: toContinue },
  ])
  const whole = joinedWith(continuation.text)
  return { ...continuation, text: whole, ...(continuation.toolCalls.length === 0 ? { content: whole } : {}) }
}

interface CutAnswer {
  readonly notice: Notice
  readonly request: string
  readonly joinedWith: (continuation: string) => string
}

/** What is kept of an answer that was cut off: all but a block without an end, which is asked for again. */
export function cutAnswer(text: string, model: string): CutAnswer {
  const line = blocksIn(text).find(({ closed }) => closed === false)?.line
  const message = `The answer of ${model} was cut off at its token limit. Fenced asks for the rest once.`
  return {
    notice: { code: 'answer-cut', message, data: { model } },
    request: requestFor(line),
    joinedWith: (continuation) => joined(line === undefined ? text : textAbove(line, text), continuation),
  }
}

const wasCut = 'Your last answer was cut off at its token limit.'

function requestFor(line: number | undefined): string {
  if (line === undefined)
    return `${wasCut} Continue exactly where it stopped. Do not repeat anything, and do not explain this.`
  return `${wasCut} The block in line ${line} has no end and was not run. Send this block again, whole, and then the rest of your answer. If the program is too long for one answer, make it shorter, or save parts of it in files first.`
}

function textAbove(line: number, text: string): string {
  const above = text.split('\n').slice(0, line - 1)
  return `${above.join('\n').trimEnd()}\n`
}

/** A fence, and what follows a block that was left out, begin behind an empty line. */
function joined(text: string, next: string): string {
  if (text.trim() === '') return next
  if (text.endsWith('\n')) return `${text}\n${next}`
  return /^[^\S\n]*(```|~~~)/.test(next) ? `${text}\n\n${next}` : `${text}${next}`
}
