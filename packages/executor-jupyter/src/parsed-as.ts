import type { z } from '@fenced/core/zod'

/** Reads JSON from outside; `undefined` when it does not match the schema. */
export function parsedAs<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
