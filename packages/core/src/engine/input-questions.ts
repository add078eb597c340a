import { randomUUID } from 'node:crypto'
import { errorMessage, FencedError } from '@fenced/errors'
import { shortened, visible } from '@fenced/errors/text'
import { checkedAnswer } from '../approval/checked-answer.ts'
import { withDigest } from '../approval/digest.ts'
import type { AnswerInput, InputAnswer, InputRequest } from '../approval/input-request.ts'
import type { Notice } from '../code-result.ts'
import { untilAborted } from '../running/waiting.ts'
import type { ReadLine } from './driver.ts'
import type { EngineContext } from './engine-context.ts'

/** The block that reads. */
export interface ReadingBlock extends Pick<InputRequest, 'executor' | 'blockIndex'> {
  /** Aborted when the block is stopped. */
  readonly signal: AbortSignal
  /** Stops the clock of the program, up to `maxWaitMs` in total, until the result is disposed of. */
  readonly hold: () => Disposable
  readonly redact: (text: string) => string
  readonly notice: (notice: Notice) => void
}

/** Reads the lines of one block from a person. */
export function lineReader(
  answerInput: AnswerInput,
  { signal, hold, redact, notice, ...about }: ReadingBlock,
): ReadLine {
  /** A program may ask again without end. */
  let isNoted = false
  return async ({ prompt: given, isSecret = false }) => {
    using _clock = hold()
    const prompt = shortened(redact(given), longestPrompt)
    const request: InputRequest = withDigest({
      kind: 'input' as const,
      id: randomUUID(),
      question: `A program asks: ${visible(JSON.stringify(prompt))}`,
      prompt,
      isSecret,
      ...about,
    })
    const ask = async () => checkedAnswer('input', await answerInput(request, { signal }))
    const answer = await untilAborted(ask(), signal).catch((error: unknown): InputAnswer => {
      signal.throwIfAborted()
      return { decision: 'deny', reason: errorMessage(error) }
    })
    if (answer.decision === 'answer') return answer.text
    if (!isNoted)
      notice({
        code: 'input-denied',
        message: `${request.question} It got no answer: ${answer.reason}`,
        data: { prompt, reason: answer.reason },
      })
    isNoted = true
    return undefined
  }
}

/** Limit for a shown prompt, in characters: a program may write megabytes. */
const longestPrompt = 2_000

/** @throws FencedError `INPUT_UNSUPPORTED`. */
export function requireInputRequests(
  { name, capabilities }: Pick<EngineContext, 'name' | 'capabilities'>,
  answerInput: AnswerInput | undefined,
): void {
  if (answerInput === undefined || capabilities.inputRequests === true) return
  throw new FencedError({
    code: 'INPUT_UNSUPPORTED',
    message: `Programs of the executor "${name}" have no standard input, so \`answerInput\` would never be called. Nothing was run. Omit it, or choose an executor whose \`capabilities.inputRequests\` is true, such as a Jupyter kernel.`,
    data: { executor: name },
  })
}
