import type { z } from 'zod'

/** What a schema accepts, in words for a message: `true or false`, `a whole number from 1`, `{ host, tls }`. */
export function allowedValues(schema: z.core.$ZodType): string {
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
      return [ownWords(schema)]
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
  // A whole number has bounds of its own, which say nothing.
  const from = minValue === null || minValue <= Number.MIN_SAFE_INTEGER ? '' : ` from ${minValue}`
  const to = maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? '' : ` to ${maxValue}`
  return `${kind}${from}${to}`
}

/** From the message of a check that we wrote: `must be a language model of the AI SDK`. */
function ownWords({ _zod: { def, bag } }: z.core.$ZodTypes): string {
  if (typeof bag.Class === 'function') return `an instance of ${bag.Class.name}`
  const message = def.error?.({ code: 'custom', input: undefined } as never)
  const text = typeof message === 'string' ? message : message?.message
  return (
    text?.replace(/^must be /, '').replace(/^must have /, 'an object with ') ?? 'an object of its own kind'
  )
}
