import { z } from '../zod.ts'

/** Schema for the input of a tool. An unknown argument is an error that names it and the known ones: a model can then correct itself. */
export function toolInput<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys'
        ? unknownArguments(keys as readonly string[], Object.keys(shape))
        : undefined,
  })
}

function unknownArguments(unknown: readonly string[], known: readonly string[]): string {
  const all = known.length === 0 ? 'There are no arguments.' : `The arguments are ${quoted(known)}.`
  return `Unknown arguments: ${quoted(unknown)}. ${all}`
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
