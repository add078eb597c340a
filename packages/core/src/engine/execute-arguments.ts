import { z } from 'zod'
import type { CodeBlock } from '../code-block.ts'
import { parseInput, parseOptions } from '../options/parse-options.ts'
import { timeoutMsSchema } from './options.ts'

// A block may carry more than we know: what reads Markdown may note where it found it.
const blocksSchema = z.array(
  z.looseObject({
    language: z.string(),
    code: z.string(),
    info: z.string().optional(),
    closed: z.boolean().optional(),
    almostClosed: z.string().optional(),
  }),
)

const optionsSchema = z.strictObject({
  signal: z.custom<AbortSignal>(isAbortSignal, 'must be an AbortSignal').optional(),
  timeoutMs: timeoutMsSchema.optional(),
})

/**
 * A copy of the blocks that `execute()` was called with: what the caller does with them later does not change a run.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export function checkBlocks(blocks: unknown): CodeBlock[] {
  return parseInput(
    blocksSchema,
    blocks,
    'execute() takes a list of blocks, { language, code }',
  ) as CodeBlock[]
}

export function checkExecuteOptions(options: unknown): z.output<typeof optionsSchema> {
  return parseOptions(optionsSchema, options, 'execute()')
}

/** Also one of another realm, or of a library that brings its own. */
function isAbortSignal(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'aborted' in value &&
    typeof value.aborted === 'boolean' &&
    'addEventListener' in value &&
    typeof value.addEventListener === 'function' &&
    'removeEventListener' in value &&
    typeof value.removeEventListener === 'function'
  )
}
