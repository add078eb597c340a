import { z } from '@fenced/core/zod'
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { Problem } from '../problem.ts'

const maxBody = 8 * 1024 * 1024

/** Bounds a body of JSON. */
export const json = bodyLimit({
  maxSize: maxBody,
  onError: () => {
    throw new Problem(413, `A request is ${maxBody / 2 ** 20} MiB at most.`)
  },
})

/** What a person writes. */
export const text = z.string().min(1).max(1_000_000)

export const documentSchema = z.strictObject({
  name: z.string().min(1).max(200),
  text: z.string().min(1).max(8_000_000),
})

/** @throws {@link Problem} for what is not JSON, or not of this form. */
export async function bodyOf<Schema extends z.ZodType>(
  { req }: Context,
  schema: Schema,
): Promise<z.output<Schema>> {
  // A form of another site cannot send this type without being asked about first (CORS).
  if (!/^application\/json\b/.test(req.header('content-type') ?? ''))
    throw new Problem(415, 'The body of a request is JSON.')
  const parsed = schema.safeParse(await req.json().catch(() => notJson()))
  if (!parsed.success) throw new Problem(400, z.prettifyError(parsed.error))
  return parsed.data
}

function notJson(): never {
  throw new Problem(400, 'The body is not JSON.')
}
