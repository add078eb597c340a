import { FencedError } from '@fenced/core'
import { untilAborted } from '@fenced/core/internal'
import { asSchema, type FlexibleSchema, type ModelMessage } from 'ai'
import type { Picture, ToolCall, ToolResponse } from '../message/chat-message.ts'

/**
 * A tool that agents can have, in the AI SDK's shape: whatever its `tool()` makes, and any object like it, once it has a
 * name.
 */
export interface AgentTool<Input = never, Output = unknown> {
  /** Letters, digits, `_` and `-`; at most 64. */
  readonly name: string
  /** What it does, for the model that decides to call it. */
  readonly description?: ToolDescription | undefined
  /** A zod schema, or any other that the AI SDK takes. */
  readonly inputSchema: FlexibleSchema<Input>
  /** Does it. One that yields tells what it has so far; the last one counts. */
  execute(input: Input, options: ToolCallOptions): AsyncIterable<Output> | PromiseLike<Output> | Output
  /** What the model reads of an output. Default: a text as it is, all else as JSON. */
  toModelOutput?(options: {
    toolCallId: string
    input: Input
    output: Output
  }): ToolModelOutput | PromiseLike<ToolModelOutput>
}

/** A text, or a function that the AI SDK asks for it. */
export type ToolDescription = string | ((options: never) => string)

/** What a tool gets beside its input, as the AI SDK gives it. */
export interface ToolCallOptions {
  readonly toolCallId: string
  /** The conversation that led to the call, without the answer that asks for it. */
  readonly messages: ModelMessage[]
  readonly abortSignal: AbortSignal
  readonly context: Record<string, unknown>
}

/** A part of an output: a text, or a file. A model that takes pictures is given those; of all else it reads the kind. */
interface ContentPart {
  readonly type: string
  readonly text?: string
  readonly mediaType?: string
  readonly data?: unknown
}

/** As much of the AI SDK's tool outputs as is text or data. */
export type ToolModelOutput =
  | { readonly type: 'text' | 'error-text'; readonly value: string }
  | { readonly type: 'json' | 'error-json'; readonly value: unknown }
  | { readonly type: 'content'; readonly value?: readonly ContentPart[] }
  | { readonly type: 'execution-denied' }

/** A tool whose types are known to nobody but itself. */
export type AnyAgentTool = AgentTool<never, never>

/** @throws FencedError `INVALID_TOOL`. */
export function checkToolName(name: string): void {
  if (/^[\w-]{1,64}$/.test(name)) return
  throw new FencedError({
    code: 'INVALID_TOOL',
    message: `"${name}" cannot be the name of a tool: it may have letters, digits, "_" and "-", at most 64 of them.`,
  })
}

/** The context of a running call. */
export interface ToolCallContext {
  readonly messages: ModelMessage[]
  readonly signal: AbortSignal
  /** Called with what a tool tells before its end. */
  readonly onOutput: (output: unknown) => void | Promise<void>
}

/** Calls a tool; whatever goes wrong is an answer that the model can read. */
export async function callTool(
  tool: AnyAgentTool | undefined,
  call: ToolCall,
  context: ToolCallContext,
): Promise<ToolResponse> {
  const answer = (content: string, isError = false): ToolResponse => ({
    toolCallId: call.id,
    name: call.name,
    content,
    ...(isError ? { isError } : {}),
  })
  if (tool === undefined) return answer(`Error: Function ${call.name} not found.`, true)
  if (call.invalid !== undefined) return answer(`Error: ${call.invalid}`, true)
  try {
    const checked = await asSchema(tool.inputSchema).validate?.(call.input)
    if (checked?.success === false) return answer(`Error: Wrong arguments. ${checked.error.message}`, true)
    const input = checked?.success === true ? checked.value : (call.input as never)
    const output = await untilAborted(run(tool, input, { call, ...context }), context.signal)
    const { text, isError, pictures } = await modelOutput(tool, { toolCallId: call.id, input, output })
    return { ...answer(text, isError), ...(pictures.length === 0 ? {} : { pictures }) }
  } catch (error) {
    return answer(`Error: ${error instanceof Error ? error.message : String(error)}`, true)
  }
}

async function run(
  tool: AnyAgentTool,
  input: never,
  { call, messages, signal, onOutput }: ToolCallContext & { readonly call: ToolCall },
): Promise<never> {
  const options = { toolCallId: call.id, messages, abortSignal: signal, context: {} }
  const outputs: unknown = tool.execute(input, options)
  if (!isAsyncIterable(outputs)) return (await outputs) as never
  let last: unknown
  let isFirst = true
  for await (const output of outputs) {
    if (!isFirst) await onOutput(last)
    isFirst = false
    last = output
  }
  return last as never
}

async function modelOutput(
  tool: AnyAgentTool,
  result: { readonly toolCallId: string; readonly input: never; readonly output: never },
): Promise<{ text: string; isError: boolean; pictures: Picture[] }> {
  const shown = await tool.toModelOutput?.(result)
  if (shown === undefined || !('value' in shown))
    return { text: asText(result.output), isError: false, pictures: [] }
  const isError = shown.type.startsWith('error-')
  if (shown.type !== 'content') return { text: asText(shown.value), isError, pictures: [] }
  const { value = [] } = shown
  return { text: value.map(textOfPart).join('\n'), isError, pictures: value.flatMap(picturesIn) }
}

function textOfPart(part: ContentPart): string {
  const { type, text, mediaType } = part
  if (text !== undefined) return text
  return picturesIn(part).length > 0 ? `[${mediaType}]` : `[${mediaType ?? type}, not shown]`
}

/** The AI SDK has the data of a file in an object that says which kind of data it is. */
function picturesIn({ mediaType = '', data }: ContentPart): Picture[] {
  const { data: inner } = Object(data) as { readonly data?: unknown }
  const base64 = typeof data === 'string' ? data : inner
  return /^image\/(png|jpeg|webp|gif)$/.test(mediaType) && typeof base64 === 'string'
    ? [{ mediaType, data: base64 }]
    : []
}

/** Nothing is an empty text. */
function asText(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
