import { FencedError } from '@fenced/core'
import { pathsOf } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'

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
    message: `This is not a state of a ${of} that this version of Fenced can load:\n${z.prettifyError(parsed.error)}`,
    data: { component: of, path: pathsOf(parsed.error) },
    cause: parsed.error,
  })
}
