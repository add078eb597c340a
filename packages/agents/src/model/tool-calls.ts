import { errorMessage } from '@fenced/errors'
import {
  asSchema,
  InvalidToolInputError,
  jsonSchema,
  type ToolCallRepairFunction,
  type ToolSet,
  type TypedToolCall,
} from 'ai'
import type { ToolCall } from '../message/tool-parts.ts'
import { describeMismatch } from './model-errors.ts'
import type { ToolDeclaration } from './model-request.ts'

/**
 * Returns the tools for the AI SDK, without `execute`, so that it returns the calls; `undefined` without tools.
 *
 * The AI SDK only reads the arguments. `callTool` validates them, once: a schema that transforms them must not do so twice.
 */
export function toToolSet(tools: Readonly<Record<string, ToolDeclaration>> = {}): ToolSet | undefined {
  const declarations = Object.entries(tools).map(([name, tool]) => {
    const { description, inputSchema } = tool
    // What its provider runs is known to the provider by more than these.
    if ('type' in tool && tool.type === 'provider') return [name, tool]
    return [
      name,
      { inputSchema: withoutValidation(inputSchema), ...(description === undefined ? {} : { description }) },
    ]
  })
  return declarations.length === 0 ? undefined : Object.fromEntries(declarations)
}

function withoutValidation(schema: ToolDeclaration['inputSchema']) {
  return jsonSchema(() => asSchema(schema).jsonSchema)
}

/** Asked by the AI SDK when it cannot read the arguments of a call. */
export const repairToolCall: ToolCallRepairFunction<ToolSet> = async ({ toolCall, error }) => {
  if (!InvalidToolInputError.isInstance(error)) return null
  const input = repairJsonControlCharacters(toolCall.input)
  return input === toolCall.input ? null : { ...toolCall, input }
}

export function readToolCall({ toolCallId: id, toolName: name, input }: TypedToolCall<ToolSet>): ToolCall {
  return { id, name, input }
}

/** Why the arguments of a call cannot be used, in words that its model can read. @param error - of the tool's schema. */
export function wrongArguments(input: unknown, error: unknown): string {
  const notJson = typeof input === 'string' ? jsonFault(input) : undefined
  return notJson === undefined
    ? `The arguments do not fit: ${describeMismatch(causeOf(error))}`
    : `The arguments are not JSON: ${notJson}`
}

/** What the schema says; the AI SDK puts the whole input around it. */
function causeOf(error: unknown): unknown {
  return Object(error).cause ?? error
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return errorMessage(error)
  }
}

const quote = 0x22
const backslash = 0x5c
const space = 0x20
const shortEscapes: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't' }

/**
 * Escapes line breaks, tabs and other control characters that stand raw inside the strings of a JSON text: models write
 * programs into arguments that way, and JSON forbids it.
 */
export function repairJsonControlCharacters(json: string): string {
  let result = ''
  let copied = 0
  let isInString = false
  for (let index = 0; index < json.length; index++) {
    const begin = index
    // A control character after a backslash gets no second backslash.
    if (isInString && json.charCodeAt(index) === backslash) index++
    else if (json.charCodeAt(index) === quote) isInString = !isInString
    if (!isInString || !(json.charCodeAt(index) < space)) continue
    result += `${json.slice(copied, begin)}\\${escapeOf(json.charAt(index))}`
    copied = index + 1
  }
  return result + json.slice(copied)
}

function escapeOf(character: string): string {
  return shortEscapes[character] ?? `u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
