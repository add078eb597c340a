import { FencedError } from '@fenced/errors'
import type { CodeBlock } from '@fenced/markdown'
import { z } from '../zod.ts'
import { parseInput } from './parse-options.ts'

// A block may carry more than we know: what reads Markdown may note where it found it.
const blocksSchema = z.array(
  z.looseObject({
    language: z.string(),
    // One line ending for every way in: extraction from Markdown has the same.
    code: z.string().transform((code) => code.replaceAll(/\r\n?/g, '\n')),
    info: z.string().optional(),
    closed: z.boolean().optional(),
    almostClosed: z.string().optional(),
    tagAbove: z.string().optional(),
    fileAbove: z.string().optional(),
  }),
)

/**
 * A copy of the blocks that `execute()` was called with: what the caller does with them later does not change a run. Lines of a
 * program end with `\n`.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export function checkBlocks(blocks: unknown): CodeBlock[] {
  if (typeof blocks === 'string') throw textInsteadOfBlocks()
  return parseInput(
    blocksSchema,
    blocks,
    'execute() takes a list of blocks, { language, code }',
  ) as CodeBlock[]
}

function textInsteadOfBlocks(): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message:
      'execute() takes a list of blocks, { language, code }, and received a text. Pass the blocks of a Markdown text: `extractCodeBlocks(text)`.',
    data: { option: '', suggestion: 'extractCodeBlocks' },
  })
}
