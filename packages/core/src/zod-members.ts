import { config } from 'zod'
import { en } from 'zod/locales'

// The sentences of zod's errors. Its own entry sets them, and a bundler leaves that out.
config(en())

export type { core, infer, input, output, RefinementCtx, ZodObject, ZodRawShape, ZodType } from 'zod'
export {
  array,
  boolean,
  custom,
  discriminatedUnion,
  enum,
  function,
  instanceof,
  int,
  json,
  literal,
  looseObject,
  number,
  object,
  prettifyError,
  record,
  strictObject,
  string,
  toJSONSchema,
  union,
  unknown,
  ZodError,
  ZodNumber,
  ZodString,
} from 'zod'
