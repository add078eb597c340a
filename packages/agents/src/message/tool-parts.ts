import type { ModelMessage, ToolCallPart, ToolResultPart } from 'ai'

/** A picture that can be shown to a model. */
export interface Picture {
  /** Media type, such as `image/png`. */
  mediaType: string
  /** Content in base64. */
  data: string
}

/** A model's tool call, as used in events and `executeTool`. */
export interface ToolCall {
  id: string
  name: string
  /** The arguments; the raw text if they are not valid JSON. */
  input: unknown
}

/** The result of a {@link ToolCall}. */
export interface ToolResponse {
  toolCallId: string
  name: string
  content: string
  /** Pictures returned in addition to the text. */
  pictures?: readonly Picture[]
  /** Whether the call failed because of an unknown tool, invalid arguments, or an error in the tool. */
  isError?: boolean
}

/** Returns the tool calls in a message, except those that the provider executed. */
export function toolCallsOf({ role, content }: ModelMessage): ToolCall[] {
  if (role !== 'assistant' || typeof content === 'string') return []
  return content.flatMap((part) =>
    isOwnCall(part) ? { id: part.toolCallId, name: part.toolName, input: part.input } : [],
  )
}

/** Calls for a reader: a line for each. */
export function callsText(calls: readonly ToolCall[]): string {
  return calls.map(({ name, input }) => `${name}(${JSON.stringify(input) ?? ''})`).join('\n')
}

/** A call that the provider did not execute. */
export function isOwnCall(part: { readonly type: string }): part is ToolCallPart {
  return part.type === 'tool-call' && (part as ToolCallPart).providerExecuted !== true
}

/** Returns the tool results in a message. */
export function toolResponsesOf(message: ModelMessage): ToolResponse[] {
  return toolResultsOf(message).map(({ toolCallId, toolName: name, output }) => {
    const pictures = outputPictures(output)
    return {
      toolCallId,
      name,
      content: outputText(output),
      ...(pictures.length === 0 ? {} : { pictures }),
      ...(isErrorOutput(output) ? { isError: true } : {}),
    }
  })
}

export function toolResultsOf({ role, content }: ModelMessage): ToolResultPart[] {
  return role === 'tool' ? content.filter((part) => part.type === 'tool-result') : []
}

export function toolCallPart({ id: toolCallId, name: toolName, input }: ToolCall): ToolCallPart {
  return { type: 'tool-call', toolCallId, toolName, input }
}

export function toolResultPart({
  toolCallId,
  name,
  content,
  pictures = [],
  isError,
}: ToolResponse): ToolResultPart {
  return {
    type: 'tool-result',
    toolCallId,
    toolName: name,
    output:
      pictures.length > 0
        ? pictureOutput(content, pictures)
        : { type: isError === true ? 'error-text' : 'text', value: content },
  }
}

type Output = ToolResultPart['output']

function pictureOutput(text: string, pictures: readonly Picture[]): Output {
  const files = pictures.map(({ mediaType, data }) => ({
    type: 'file' as const,
    mediaType,
    data: { type: 'data' as const, data },
  }))
  return { type: 'content', value: [{ type: 'text', text }, ...files] }
}

export function isErrorOutput({ type }: Output): boolean {
  return type === 'error-text' || type === 'error-json' || type === 'execution-denied'
}

/** Text in place of a result if a person replied instead of the tool, in AutoGen's words. */
const interrupted = 'USER INTERRUPTED'

/** What a person reads of an output. */
export function outputText(output: Output): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value)
    case 'execution-denied':
      return interrupted
    case 'content':
      return output.value.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n')
  }
}

function outputPictures(output: Output): Picture[] {
  return output.type === 'content' ? output.value.flatMap(picturesIn) : []
}

/** A part of an output that may be a picture: the AI SDK has its data in an object that says which kind of data it is. */
export function picturesIn(part: object): Picture[] {
  const { mediaType = '', data } = part as { readonly mediaType?: string; readonly data?: unknown }
  const { data: inner } = Object(data) as { readonly data?: unknown }
  const base64 = typeof data === 'string' ? data : inner
  return /^image\/(png|jpeg|webp|gif)$/.test(mediaType) && typeof base64 === 'string'
    ? [{ mediaType, data: base64 }]
    : []
}

/** The answer to a call, and the position of the message that brings it. */
interface CallAnswer {
  readonly position: number
  readonly result: ToolResultPart
}

/** What the answers to tool calls mean for one message. */
interface PairedAnswers {
  /** Results of the agent's calls, in order; `undefined` for a call without a result. */
  readonly toCalls: readonly (CallAnswer | undefined)[]
  /** That it brings to calls which are not in the messages before, or have an answer already. */
  readonly strays: readonly ToolResultPart[]
}

/**
 * Finds the call of every answer, wherever the answer stands after it. An id that is used again means its newest call:
 * some servers number the calls of each answer from 0.
 */
export function pairToolAnswers(messages: readonly ModelMessage[]): readonly PairedAnswers[] {
  const open = new Map<string, OpenCall[]>()
  return messages.map((message, position) => {
    const strays = toolResultsOf(message).filter((result) => {
      const call = open.get(result.toolCallId)?.shift()
      if (call !== undefined) call.toCalls[call.index] = { position, result }
      return call === undefined
    })
    const calls = toolCallsOf(message)
    const toCalls: (CallAnswer | undefined)[] = calls.map(() => undefined)
    for (const { id } of calls) open.delete(id)
    for (const [index, { id }] of calls.entries()) {
      open.set(id, [...(open.get(id) ?? []), { toCalls, index }])
    }
    return { toCalls, strays }
  })
}

interface OpenCall {
  readonly toCalls: (CallAnswer | undefined)[]
  readonly index: number
}

/** Text of a value for the model: a string unchanged, nothing as an empty text, any other value as JSON. */
export function asText(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}
