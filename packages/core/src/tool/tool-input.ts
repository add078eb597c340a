import { extractCodeBlocks } from '@fenced/markdown'
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

/** Schema for a program in a tool's input. Some models put it into a fenced code block, whose fence is removed before any question. */
export function programInput(description: string): z.ZodType<string, string> {
  return z.string().overwrite(withoutFence).describe(description)
}

/** The program in a text that consists of a single fenced code block, or the text itself. */
function withoutFence(text: string): string {
  const lines = text.trim().split('\n')
  if (!isFence(lines[0], /^(`{3,}[^`]*|~{3,}.*)$/) || !isFence(lines.at(-1), /^(`{3,}|~{3,})$/)) return text
  const [block, ...others] = extractCodeBlocks(text.trim())
  if (block === undefined || block.closed === false || others.length > 0) return text
  // Removed fences stay removed if the input is parsed twice.
  return withoutFence(block.code)
}

function isFence(line: string | undefined, pattern: RegExp): boolean {
  return line !== undefined && pattern.test(line.trim())
}
