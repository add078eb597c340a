import { type CodeBlock, type ExecutorCapabilities, extractCodeBlocks } from '@fenced/core'
import { decideBlock, isWrongLanguage } from '@fenced/core/internal'

interface Answer {
  readonly text: string
  /** Whether it was cut off at its token limit. */
  readonly isCut: boolean | undefined
  /** Whether it begins in the middle of reasoning. */
  readonly startsInReasoning: boolean | undefined
}

/** The blocks of an answer for an executor, which skips and names those that it does not run. None if there are only data and text. */
export function answerBlocks(
  { text, isCut, startsInReasoning = false }: Answer,
  { languages: runs }: Pick<ExecutorCapabilities, 'languages'>,
): readonly CodeBlock[] {
  const blocks = extractCodeBlocks(text, { startsInReasoning })
  const areCode = blocks.some((block) => {
    const decision = decideBlock(block, { runs })
    return decision.action === 'skip' ? isWrongLanguage(decision.notice) : decision.action !== 'data'
  })
  if (!areCode) return []
  return isCut === true
    ? blocks.map((block) => (block.closed === false ? { ...block, almostClosed: wasCut } : block))
    : blocks
}

const wasCut = 'The answer was cut off at its token limit.'
