import { z } from 'zod'
import type { CodeBlock } from '../code-block.ts'
import { parseOptions, timeoutMsSchema } from './options.ts'

// A block may carry more than we know: what reads Markdown may note where it found it.
const blocksSchema = z.array(
  z.looseObject({
    language: z.string(),
    code: z.string(),
    info: z.string().optional(),
    closed: z.boolean().optional(),
  }),
)

const optionsSchema = z.strictObject({
  signal: z.instanceof(AbortSignal).optional(),
  timeoutMs: timeoutMsSchema.optional(),
})

/** The blocks as they are now: what the caller does with them later must not change a run. */
export function checkBlocks(blocks: unknown): CodeBlock[] {
  return parseOptions(blocksSchema, blocks, 'the blocks of execute()') as CodeBlock[]
}

export function checkExecuteOptions(options: unknown): z.output<typeof optionsSchema> {
  return parseOptions(optionsSchema, options, 'execute()')
}
