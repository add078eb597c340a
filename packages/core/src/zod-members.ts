import { config } from 'zod'
import { en } from 'zod/locales'

// The sentences of zod's errors. Its own entry sets them, and a bundler leaves that out. All copies of zod in a process share them, so those that
// an application has chosen stay.
if (config().localeError === undefined) config(en())

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
  lazy,
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
