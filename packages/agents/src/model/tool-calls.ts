import {
  InvalidToolInputError,
  JSONParseError,
  NoSuchToolError,
  ToolCallRepairError,
  type ToolCallRepairFunction,
  type ToolSet,
  type TypedToolCall,
  TypeValidationError,
} from 'ai'
import type { ToolCall } from '../message/chat-message.ts'
import { describeMismatch, messageOf } from './describe-failure.ts'
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

/** A call as the model made it, with the reason in words that the model can read where it cannot be made. */
export function readToolCall(call: TypedToolCall<ToolSet>): ToolCall {
  const { toolCallId: id, toolName: name, input, providerMetadata: providerOptions } = call
  const isInvalid = 'invalid' in call && call.invalid === true
  return {
    id,
    name,
    input,
    ...(isInvalid ? { invalid: reasonOf(call.error) } : {}),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  }
}

function reasonOf(error: unknown): string {
  if (ToolCallRepairError.isInstance(error)) return reasonOf(error.originalError)
  if (NoSuchToolError.isInstance(error)) {
    const known = error.availableTools ?? []
    const others = known.length === 0 ? 'There are none.' : `There are: ${known.join(', ')}.`
    return `There is no tool "${error.toolName}". ${others}`
  }
  if (!InvalidToolInputError.isInstance(error)) return messageOf(error)
  const { cause } = error
  if (JSONParseError.isInstance(cause)) return `The arguments are not JSON: ${messageOf(cause.cause)}`
  if (TypeValidationError.isInstance(cause))
    return `The arguments do not fit: ${describeMismatch(cause.cause)}`
  return messageOf(cause)
}

const quote = 0x22
const backslash = 0x5c
const space = 0x20
const shortEscapes: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't' }

/**
 * Escapes line breaks, tabs and other control characters that stand raw inside the strings of a JSON text: models write
 * programs into arguments that way, and JSON forbids it.
 */
export function escapeControlCharacters(json: string): string {
  let result = ''
  let copied = 0
  let isInString = false
  for (let index = 0; index < json.length; index++) {
    const begin = index
    // Behind a backslash a control character gets no second one.
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
