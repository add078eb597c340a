import { randomUUID } from 'node:crypto'
import { shortened, visible } from '@fenced/errors/text'
import type { Asker } from '../../approval/asker.ts'
import { withDigest } from '../../approval/digest.ts'
import type { InputRequest } from '../../approval/input-request.ts'
import type { Notice } from '../../vocabulary/code-result.ts'
import type { ReadLine } from '../driver.ts'

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
export function lineReader(asker: Asker, { signal, hold, redact, notice, ...about }: ReadingBlock): ReadLine {
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
    const answer = await asker.ask<'input'>(request, { signal })
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
