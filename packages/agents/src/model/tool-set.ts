import { InvalidToolInputError, type ToolCallRepairFunction, type ToolSet } from 'ai'
import { escapeControlCharacters } from './escape-control-characters.ts'
import type { ToolDeclaration } from './model-request.ts'

/** The tools for the AI SDK, without anything to run: then it hands the calls back. `undefined` where there are none. */
export function toToolSet(tools: Readonly<Record<string, ToolDeclaration>> = {}): ToolSet | undefined {
  const declarations = Object.entries(tools).map(([name, tool]) => {
    const { description, inputSchema } = tool
    // What its provider runs is known to the provider by more than these.
    if ('type' in tool && tool.type === 'provider') return [name, tool]
    return [name, { inputSchema, ...(description === undefined ? {} : { description }) }]
  })
  return declarations.length === 0 ? undefined : Object.fromEntries(declarations)
}

/** Asked by the AI SDK when it cannot read the arguments of a call. */
export const repairToolCall: ToolCallRepairFunction<ToolSet> = async ({ toolCall, error }) => {
  if (!InvalidToolInputError.isInstance(error)) return null
  const input = escapeControlCharacters(toolCall.input)
  return input === toolCall.input ? null : { ...toolCall, input }
}
