import type { ModelMessage, ToolCallPart } from 'ai'
import type { AnswerPart, ChatMessage, ToolCall } from '../message/chat-message.ts'

/** The parts of an answer, as plain data; `undefined` where its text and its calls are all that its provider wants back. */
export function answerParts(messages: readonly ModelMessage[]): AnswerPart[] | undefined {
  const parts = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  )
  return parts.every(isSaidElsewhere) ? undefined : JSON.parse(JSON.stringify(parts))
}

/** A message of a model as that model is given it: with all of its parts, while it still says what they say. */
export function partsForModel(message: ChatMessage): AnswerPart[] {
  const { content, toolCalls = [], parts } = message
  if (parts === undefined || !saysTheSame(message, parts)) {
    return [{ type: 'text', text: content }, ...toolCalls.map(callPart)]
  }
  const calls = toolCalls.map(callPart).values()
  return parts.map((part) => (isOwnCall(part) ? (calls.next().value ?? part) : part))
}

/** A signature of a call stands at the call. */
function isSaidElsewhere(part: AnswerPart): boolean {
  return (part.type === 'text' && part.providerOptions === undefined) || isOwnCall(part)
}

/** A call that the provider has not made by itself. */
function isOwnCall(part: AnswerPart): part is ToolCallPart {
  return part.type === 'tool-call' && part.providerExecuted !== true
}

/** Signed thoughts of another text are refused by their provider. */
function saysTheSame({ content, toolCalls = [] }: ChatMessage, parts: readonly AnswerPart[]): boolean {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const calls = parts.filter(isOwnCall)
  return (
    text === content &&
    calls.length === toolCalls.length &&
    calls.every(({ toolCallId }, index) => toolCallId === toolCalls[index]?.id)
  )
}

function callPart({ id, name, input, invalid, providerOptions }: ToolCall): ToolCallPart {
  // Providers take objects only; a model that wrote something else sees it in the answer to its call.
  const isUsable = invalid === undefined || (typeof input === 'object' && input !== null)
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: isUsable ? input : {},
    ...(providerOptions === undefined ? {} : { providerOptions }),
  }
}
