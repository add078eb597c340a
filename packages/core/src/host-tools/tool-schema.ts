import type { HostToolCallOptions } from '../vocabulary/host-tool.ts'
import { z } from '../zod.ts'

/** JSON Schema as data. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The check of a value, and its JSON Schema. */
export interface ToolSchema {
  /** `{}` where anything goes. */
  readonly jsonSchema: JsonSchema
  /** The value as the tool gets it, with defaults. @throws Error that says what is wrong. */
  parse(value: unknown): Promise<unknown>
}

/** A tool that is ready to be called. */
export interface ReadyTool {
  readonly name: string
  /** Its name in Python. */
  readonly pythonName: string
  readonly description: string | undefined
  readonly input: ToolSchema
  readonly output: ToolSchema
  readonly execute: (input: unknown, options: HostToolCallOptions) => unknown
  readonly needsApproval: unknown
}

/** A schema of the AI SDK: `jsonSchema()`, `zodSchema()`. */
interface SdkSchema {
  readonly jsonSchema: unknown
  readonly validate?: (value: unknown) => unknown
}

/** A Standard Schema, with or without Standard JSON Schema (https://standardschema.dev). */
interface StandardSchema {
  readonly '~standard': {
    readonly validate: (value: unknown) => unknown
    readonly jsonSchema?: { readonly [Side in 'input' | 'output']: (options: object) => JsonSchema }
  }
}

const anything: ToolSchema = { jsonSchema: {}, parse: async (value) => value }

/**
 * Takes a schema of any kind that {@link HostToolObject} names.
 *
 * @param side - `input`: what is given to it; `output`: what comes out of it.
 * @throws Error when it is none of them.
 */
export function toolSchema(given: unknown, side: 'input' | 'output'): ToolSchema {
  if (given === undefined) return anything
  // A schema of the AI SDK that is made when it is needed, which is no object of a library with a schema that is called.
  if (typeof given === 'function' && !('~standard' in given)) return toolSchema(given(), side)
  if (isStandard(given)) return standardSchema(given, side)
  if (typeof given !== 'object' || given === null) throw new Error('it is no schema')
  if (isOfSdk(given)) return sdkSchema(given)
  return dataSchema(given as JsonSchema)
}

function isStandard(given: unknown): given is StandardSchema {
  return (typeof given === 'object' || typeof given === 'function') && given !== null && '~standard' in given
}

function isOfSdk(given: object): given is SdkSchema {
  return Object.getOwnPropertySymbols(given).some(({ description }) => description === 'vercel.ai.schema')
}

function standardSchema(given: StandardSchema, side: 'input' | 'output'): ToolSchema {
  const { validate, jsonSchema } = given['~standard']
  const schema =
    '_zod' in given
      ? (z.toJSONSchema(given as unknown as z.ZodType, { io: side, unrepresentable: 'any' }) as JsonSchema)
      : (jsonSchema?.[side]({ target: 'draft-07' }) ?? {})
  const parse = async (value: unknown) => {
    const parsed = (await validate(value)) as { value: unknown; issues?: readonly Issue[] }
    if (parsed.issues !== undefined) throw new Error(parsed.issues.map(sentenceOf).join('; '))
    return parsed.value
  }
  return { jsonSchema: schema, parse }
}

interface Issue {
  readonly message: string
  readonly path?: readonly unknown[] | undefined
}

function sentenceOf({ message, path = [] }: Issue): string {
  const names = path.map((part) =>
    typeof part === 'object' && part !== null && 'key' in part ? part.key : part,
  )
  return names.length === 0 ? message : `${names.join('.')}: ${message}`
}

function sdkSchema({ jsonSchema, validate }: SdkSchema): ToolSchema {
  const schema = jsonSchema as JsonSchema
  if ('then' in schema)
    throw new Error('it is created asynchronously: await it, and pass the result to `jsonSchema()`')
  if (validate === undefined) return dataSchema(schema)
  const parse = async (value: unknown) => {
    const checked = (await validate(value)) as { success: boolean; value?: unknown; error?: unknown }
    if (checked.success) return checked.value
    throw checked.error
  }
  return { jsonSchema: schema, parse }
}

/** JSON Schema as data is checked by zod; where zod cannot read it, the tool has to check. */
function dataSchema(jsonSchema: JsonSchema): ToolSchema {
  let reading: Promise<z.ZodType | undefined> | undefined
  const parse = async (value: unknown) => {
    reading ??= readSchema(jsonSchema)
    const schema = await reading
    if (schema === undefined) return value
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw new Error(parsed.error.issues.map(sentenceOf).join('; '))
  }
  return { jsonSchema, parse }
}

async function readSchema(jsonSchema: JsonSchema): Promise<z.ZodType | undefined> {
  const { fromJSONSchema } = await import('./from-json-schema.ts')
  try {
    return fromJSONSchema(jsonSchema as Parameters<typeof fromJSONSchema>[0])
  } catch {
    return undefined
  }
}
