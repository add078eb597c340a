import { FencedError } from '@fenced/core'
import { z } from 'zod'

/**
 * Checks what was saved before it is taken over.
 *
 * @param of - whose state it should be.
 * @throws FencedError `INVALID_STATE` with every fault and where it is.
 */
export function readState<Schema extends z.ZodType>(
  schema: Schema,
  state: unknown,
  of: string,
): z.output<Schema> {
  const parsed = schema.safeParse(state)
  if (parsed.success) return parsed.data
  throw new FencedError({
    code: 'INVALID_STATE',
    message: `This is no state of a ${of} that this version of Fenced knows:\n${z.prettifyError(parsed.error)}`,
    cause: parsed.error,
  })
}
