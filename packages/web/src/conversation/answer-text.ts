import { extractCodeBlocks } from '@fenced/core'
import { type LanguageModel, type ModelMessage, streamText } from 'ai'

interface AnswerRequest {
  readonly model: LanguageModel
  readonly instructions: string
  readonly messages: readonly ModelMessage[]
  readonly signal: AbortSignal
  /** Whether its answers begin in the middle of reasoning. */
  readonly startsInReasoning: boolean
}

/**
 * The text of an answer, piece by piece. An answer that was cut off at the limit of tokens continues once, unless a block is
 * open there: the model sends that block again when it reads that it was not run.
 *
 * @returns whether the text was cut off in the end.
 */
export async function* answerText(request: AnswerRequest): AsyncGenerator<string, boolean, undefined> {
  const { startsInReasoning } = request
  let text = ''
  const isCut = yield* piecesOf(request, (piece) => {
    text += piece
  })
  if (!isCut || extractCodeBlocks(text, { startsInReasoning }).some(({ closed }) => closed === false))
    return isCut
  // The template of such a model opens the reasoning again.
  if (startsInReasoning) yield '\n\n<think>\n'
  const more: ModelMessage[] = [
    { role: 'assistant', content: text },
    { role: 'user', content: toContinue },
  ]
  return yield* piecesOf({ ...request, messages: [...request.messages, ...more] }, () => {})
}

async function* piecesOf(
  { model, instructions, messages, signal }: AnswerRequest,
  onPiece: (text: string) => void,
): AsyncGenerator<string, boolean, undefined> {
  let isCut = false
  const { stream } = streamText({
    model,
    instructions,
    messages: [...messages],
    abortSignal: signal,
    // Without it the AI SDK prints the error.
    onError: () => {},
  })
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'finish') isCut = part.finishReason === 'length'
    if (part.type !== 'text-delta') continue
    onPiece(part.text)
    yield part.text
  }
  signal.throwIfAborted()
  return isCut
}

const toContinue =
  'Your last answer was cut off at its token limit. Continue exactly where it stopped. Do not repeat anything, and do not explain this.'
