import { FencedError } from '@fenced/errors'
import { z } from '../zod.ts'
import { unknownOption } from './unknown-option.ts'

/**
 * Validates options against a schema.
 *
 * @throws FencedError `INVALID_OPTIONS` with all faults and their locations. For an unknown name, the error suggests the nearest
 *   known one; for an AutoGen or AG2 option, it gives the corresponding name here.
 */
export function parseOptions<Schema extends z.ZodType>(
  schema: Schema,
  options: unknown,
  of: string,
): z.output<Schema> {
  return parseInput(schema, options, `Wrong options for ${of}`)
}

/** The same for other input; `headline` begins the message of the error. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  headline: string,
): z.output<Schema> {
  const suggestions = new Map<string, string>()
  // Most options are read once, and generating code for that takes longer than it saves.
  const context = { jitless: true, error: (issue: z.core.$ZodRawIssue) => issueMessage(issue, suggestions) }
  const parsed = schema.safeParse(input, context)
  if (parsed.success) return parsed.data
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: `${headline}:\n${explainMismatch(parsed.error)}`,
    data: { option: pathsOf(parsed.error), ...suggestionsFor(parsed.error, suggestions) },
    cause: printedOnce(parsed.error),
  })
}

/** Node prints the cause of an error that is not caught, and the message already has its issues. */
function printedOnce(error: z.core.$ZodError): z.core.$ZodError {
  const value = () => '[ZodError: the message has its issues]'
  return Object.defineProperty(error, Symbol.for('nodejs.util.inspect.custom'), { value })
}

/** The paths of everything that a schema has refused, each once: `timeoutMs, languages.0.id`; empty for the value as a whole. */
export function pathsOf({ issues }: z.core.$ZodError): string {
  const paths = issues.flatMap(inDetail).flatMap((issue) => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [key]) : [[]]
    return names.map((name) => [...issue.path, ...name].map(String).join('.'))
  })
  return [...new Set(paths)].join(', ')
}

/** The names that the unknown options of an error have here, in their order. */
function suggestionsFor(
  { issues }: z.core.$ZodError,
  suggestions: ReadonlyMap<string, string>,
): { suggestion?: string } {
  const keys = issues
    .flatMap(inDetail)
    .flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []))
  const suggestion = keys.flatMap((key) => suggestions.get(key) ?? []).join(', ')
  return suggestion === '' ? {} : { suggestion }
}

/** zod's message where it has no better one. */
const unspecific = 'Invalid input'

/**
 * The message of an issue for which the schema has no message. `undefined`: zod's own message is used.
 *
 * @param suggestions - gets the name here of each unknown option.
 */
function issueMessage(issue: z.core.$ZodRawIssue, suggestions: Map<string, string>): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    const { shape } = (issue.inst as z.core.$ZodObject)._zod.def
    const known = Object.keys(shape)
    const lists = new Set<string>()
    const unknown = issue.keys.map((key) => {
      const { message, suggestion, list } = unknownOption(key, known)
      if (suggestion !== undefined) suggestions.set(key, suggestion)
      if (list !== undefined) lists.add(list)
      return message
    })
    return [...unknown, ...lists].join('\n  ')
  }
  if (issue.code === 'invalid_union' || issue.code === 'invalid_type' || issue.code === 'invalid_value') {
    const must = `must be ${allowedValues(issue.inst as z.core.$ZodType)}`
    if (issue.input !== undefined) return must
    return `${issue.path?.length ? 'is' : 'The value is'} missing: it ${must}`
  }
  return undefined
}

/**
 * Every fault of a value and where it is, as lines of text. Where only one member of a union takes such a value, its
 * own faults are named instead of the union's.
 */
function explainMismatch(error: z.core.$ZodError): string {
  return z.prettifyError({ issues: error.issues.flatMap(inDetail) } as z.core.$ZodError)
}

function inDetail(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const meant = issue.errors.filter((faults) => !faults.some(isAnotherKind))
  const [only] = meant
  if (only === undefined || meant.length > 1) return [issue]
  return only.flatMap((fault) => inDetail({ ...fault, path: [...issue.path, ...fault.path] }))
}

/** Whether a value is not even of the kind that a member of a union takes. */
function isAnotherKind({ code, path, message }: z.core.$ZodIssue): boolean {
  if (path.length > 0) return false
  return code === 'invalid_type' || code === 'invalid_value' || message === unspecific
}

/** Describes the accepted values of a schema for a message: `true or false`, `a whole number from 1`, `{ host, tls }`. */
function allowedValues(schema: z.core.$ZodType): string {
  return [...new Set(alternatives(schema as z.core.$ZodTypes))].join(', or ')
}

function alternatives(schema: z.core.$ZodTypes): string[] {
  const { def } = schema._zod
  switch (def.type) {
    case 'union':
      return def.options.flatMap((option) => alternatives(option as z.core.$ZodTypes))
    case 'literal':
      return [def.values.map((value) => JSON.stringify(value)).join(' or ')]
    case 'enum':
      return [
        Object.values(def.entries)
          .map((value) => JSON.stringify(value))
          .join(' or '),
      ]
    case 'boolean':
      return ['true or false']
    case 'string':
      return ['a string']
    case 'number':
      return [numbers(schema as z.ZodNumber)]
    case 'array':
      return [`a list (of each: ${allowedValues(def.element)})`]
    case 'object':
      return [`{ ${Object.keys(def.shape).join(', ')} }`]
    case 'record':
      return ['an object']
    case 'custom':
      return [customValue(schema)]
    case 'lazy':
      return alternatives(def.getter() as z.core.$ZodTypes)
    case 'optional':
    case 'default':
    case 'nullable':
    case 'readonly':
      return alternatives(def.innerType as z.core.$ZodTypes)
    default:
      return [`a ${def.type}`]
  }
}

function numbers({ format, minValue, maxValue }: z.ZodNumber): string {
  const kind = format?.includes('int') ? 'a whole number' : 'a number'
  // zod gives every integer the bounds of a safe integer.
  const from = minValue === null || minValue <= Number.MIN_SAFE_INTEGER ? '' : ` from ${minValue}`
  const to = maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? '' : ` to ${maxValue}`
  return `${kind}${from}${to}`
}

/** Taken from the message of our own check: `must be a language model of the AI SDK`. */
function customValue({ _zod: { def, bag } }: z.core.$ZodTypes): string {
  if (typeof bag.Class === 'function') return `an instance of ${bag.Class.name}`
  const message = def.error?.({ code: 'custom', input: undefined } as never)
  const text = typeof message === 'string' ? message : message?.message
  return (
    text?.replace(/^must be /, '').replace(/^must have /, 'an object with ') ??
    'an object of a particular kind'
  )
}
