import type { Notice } from '@fenced/core'
import { blocksIn } from '../running/code-blocks.ts'
import type { ModelReply } from './model-request.ts'

/** An answer that was cut off at the limit of tokens of its model. */
export interface CutAnswer {
  /** For people. */
  readonly notice: Notice
  /** Asks the model to continue. */
  readonly request: string
  /** The answer and its continuation as one answer. */
  readonly with: (continuation: ModelReply) => ModelReply
}

/**
 * What becomes of an answer that was cut off. A block without an end is left out, and asked for again: half a program may do the
 * opposite of the whole one.
 */
export function cutAnswer({ text, modelId }: ModelReply, startsInReasoning: boolean): CutAnswer {
  const open = blocksIn(text, { startsInReasoning }).find(({ closed }) => closed === false)
  const kept =
    open?.line === undefined
      ? text
      : `${text
          .split('\n')
          .slice(0, open.line - 1)
          .join('\n')
          .trimEnd()}\n`
  return {
    notice: {
      code: 'answer-cut',
      message: `The answer of ${modelId} was cut off at its limit of tokens. The model is asked once to continue.`,
      data: { model: modelId },
    },
    request: requestFor(open?.line),
    with: (continuation) => {
      const whole = `${kept}${separator(kept, continuation.text, startsInReasoning)}${continuation.text}`
      return {
        ...continuation,
        text: whole,
        content: continuation.toolCalls.length === 0 ? whole : continuation.content,
      }
    },
  }
}

function requestFor(line: number | undefined): string {
  if (line === undefined)
    return `${wasCut} Continue exactly where it stopped. Do not repeat anything, and do not explain this.`
  return `${wasCut} The block in line ${line} has no end and was not run. Send this block again, whole, and then the rest of your answer. If the program is too long for one answer, make it shorter, or save parts of it in files first.`
}

const wasCut = 'Your last answer was cut off at its limit of tokens.'

/** A fence and a paragraph begin on a line of their own, and so does the reasoning of a model whose template has opened it. */
function separator(kept: string, next: string, startsInReasoning: boolean): string {
  if (startsInReasoning) return '\n\n<think>\n'
  if (kept.trim() === '') return ''
  if (kept.endsWith('\n')) return '\n'
  return /^[^\S\n]*(```|~~~)/.test(next) ? '\n\n' : ''
}
