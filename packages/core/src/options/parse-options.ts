import type { z } from 'zod'
import { FencedError } from '../fenced-error.ts'
import { explainMismatch, issueMessage } from './explain-mismatch.ts'

/**
 * Checks options against a schema.
 *
 * @throws FencedError `INVALID_OPTIONS` with every fault and where it is. An unknown name is answered with the nearest
 *   known one, and an option of AutoGen or AG2 with the name that it has here.
 */
export function parseOptions<Schema extends z.ZodType>(
  schema: Schema,
  options: unknown,
  of: string,
): z.output<Schema> {
  return parseInput(schema, options, `Wrong options for ${of}`)
}

/** The same for what is no options: `headline` says what is wrong then. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  headline: string,
): z.output<Schema> {
  const parsed = schema.safeParse(input, { error: issueMessage })
  if (parsed.success) return parsed.data
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: `${headline}:\n${explainMismatch(parsed.error)}`,
    cause: parsed.error,
  })
}
