import {
  InvalidToolInputError,
  JSONParseError,
  NoSuchToolError,
  ToolCallRepairError,
  type ToolSet,
  type TypedToolCall,
  TypeValidationError,
} from 'ai'
import type { ToolCall } from '../message/chat-message.ts'
import { describeMismatch } from './describe-mismatch.ts'
import { messageOf } from './message-of.ts'

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
