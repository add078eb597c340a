import type { DecisionLedger, ToolApprovalRequest } from '@fenced/core'
import { askedAgain, recordedCall, withDigest } from '@fenced/core/internal'
import { errorMessage } from '@fenced/errors'
import { shortened, visibleCode, visibleName } from '@fenced/errors/text'
import { untilAborted } from '@fenced/shared'
import { asSchema, type ModelMessage } from 'ai'
import { createMessage, type Message } from '../message/message.ts'
import {
  type Picture,
  picturesIn,
  type ToolCall,
  type ToolResponse,
  toolResponsesOf,
  toolResultPart,
} from '../message/tool-parts.ts'
import type { ModelReply } from '../model/model-request.ts'
import { wrongArguments } from '../model/tool-calls.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { type AnyAgentTool, type ContentPart, type SandboxSession, sandboxOfCall } from './agent-tool.ts'
import { type AskTool, askedWithEvents, noApprover } from './ask-tool.ts'

export interface ToolCallContext {
  readonly messages: ModelMessage[]
  readonly signal: AbortSignal
  /** Called with what a tool tells before its end. */
  readonly onOutput: (output: unknown) => void | Promise<void>
  readonly askTool?: AskTool | undefined
  /** Records the decision about the call, so that the call is made at most once for it. */
  readonly ledger: DecisionLedger
  /** Question that was open when the agent was saved. It is repeated, with the same id while it is open in the ledger. */
  readonly saved?: ToolApprovalRequest | undefined
  readonly sandbox?: SandboxSession | undefined
}

export interface CallingAgent
  extends Pick<ToolCallContext, 'messages' | 'askTool' | 'ledger' | 'saved' | 'sandbox'> {
  readonly agent: string
  readonly run: RunContext
  readonly byName: ReadonlyMap<string, AnyAgentTool>
  /** Answers that there are already: these calls are not made. */
  readonly finished?: readonly ToolResponse[] | undefined
}

/** Calls tools, all at the same time, and returns the message with their answers in the order of the calls. */
export async function callTools(toolCalls: readonly ToolCall[], caller: CallingAgent): Promise<Message> {
  const toolResponses = await Promise.all(toolCalls.map((call) => callWithEvents(call, caller)))
  const content = toolResponses.map(toolResultPart)
  return createMessage({ role: 'tool', source: caller.agent, origin: 'program', content })
}

export type CallingReply = Pick<ModelReply, 'text' | 'toolCalls'>

/** Calls tools for the agent's own model. The calls and their answers become events. @throws the signal's reason. */
export async function callOwnTools(
  { text: content, toolCalls }: CallingReply,
  caller: CallingAgent,
): Promise<Message> {
  const { agent, run } = caller
  await run.emit({ type: 'tool-calls', agent, content, toolCalls })
  const answered = await callTools(toolCalls, caller)
  run.signal.throwIfAborted()
  await run.emit({ type: 'tool-results', agent, results: toolResponsesOf(answered) })
  return answered
}

async function callWithEvents(
  call: ToolCall,
  { agent, run, byName, messages, askTool, ledger, saved, sandbox, finished = [] }: CallingAgent,
): Promise<ToolResponse> {
  const known = finished.find(({ toolCallId }) => toolCallId === call.id)
  if (known !== undefined) {
    await run.emit({ type: 'tool-end', agent, call, response: known })
    return known
  }
  await run.emit({ type: 'tool-start', agent, call })
  const response = await callTool(byName.get(call.name), call, {
    messages,
    signal: run.signal,
    onOutput: (output) => run.emit({ type: 'tool-output', agent, call, output }),
    askTool: askTool && askedWithEvents(askTool, { agent, run }),
    ledger,
    saved,
    sandbox,
  })
  await run.emit({ type: 'tool-end', agent, call, response })
  return response
}

/** Calls a tool. Errors become results that the model can read. */
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
  try {
    const checked = await asSchema(tool.inputSchema).validate?.(call.input)
    if (checked?.success === false) return answer(`Error: ${wrongArguments(call.input, checked.error)}`, true)
    // A raw text is no JSON that can be trusted, and no schema has taken it.
    if (checked === undefined && typeof call.input === 'string')
      return answer(`Error: ${wrongArguments(call.input, 'an object is expected')}`, true)
    const input = checked?.success === true ? checked.value : (call.input as never)
    const { askTool, ledger, signal } = context
    const { denial, request } = await questionOf(tool, { ...call, input }, context)
    if (denial !== undefined) return deniedCall(call, denial)
    const make = () => untilAborted(run(tool, input, { call, ...context }), signal)
    const made =
      askTool === undefined || request === undefined
        ? { output: await make() }
        : await recordedCall(request, {
            ledger,
            make,
            ask: (asked) => askTool(asked, { signal }),
            isLeftBehind: () => signal.aborted,
          })
    if ('denial' in made) return deniedCall(call, made.denial)
    const { output } = made
    const { text, isError, pictures } = await modelOutput(tool, { toolCallId: call.id, input, output })
    return { ...answer(text, isError), ...(pictures.length === 0 ? {} : { pictures }) }
  } catch (error) {
    return answer(`Error: ${errorMessage(error)}`, true)
  }
}

export function deniedCall({ id: toolCallId, name }: ToolCall, reason: string): ToolResponse {
  return { toolCallId, name, content: `Error: The call was denied: ${reason}`, isError: true }
}

interface CallQuestion {
  readonly denial?: string
  readonly request?: ToolApprovalRequest
}

async function questionOf(
  { name, description, needsApproval }: AnyAgentTool,
  { id, input }: ToolCall,
  { askTool, ledger, saved, messages }: ToolCallContext,
): Promise<CallQuestion> {
  const needed: unknown =
    typeof needsApproval === 'function'
      ? await needsApproval(input, { toolCallId: id, messages, context: {} })
      : needsApproval
  if (askTool === undefined) return needed ? { denial: noApprover } : {}
  const asked = saved?.toolCallId === id && saved.tool === name ? saved : undefined
  if (needed === false && asked === undefined) return {}
  const request: ToolApprovalRequest = withDigest({
    kind: 'tool' as const,
    id: crypto.randomUUID(),
    toolCallId: id,
    question: toolQuestion('The model', name, input),
    tool: name,
    // An open question of a saved state never becomes permission by default.
    ...(needed || asked !== undefined ? { needsApproval: true as const } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    input: structuredClone(input),
  })
  return { request: asked === undefined ? request : await askedAgain(ledger, request, asked.id) }
}

export function toolQuestion(asking: string, tool: string, input: unknown): string {
  return `${visibleName(asking)} wants to call the tool ${visibleName(tool)} with ${visibleCode(shortened(asText(input), longestInput))}.`
}

/** How much of the arguments a question has, in characters. */
const longestInput = 500

async function run(
  tool: AnyAgentTool,
  input: never,
  { call, messages, signal, onOutput, sandbox }: ToolCallContext & { readonly call: ToolCall },
): Promise<never> {
  const options = {
    toolCallId: call.id,
    messages,
    abortSignal: signal,
    context: {},
    ...sandboxOfCall(sandbox),
  }
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

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

export function calledTooOften(iterations: number): string {
  return `The tools were called ${iterations} times in a row, which is the limit: the last calls were not made.`
}

/** Text of a value for the model: a string unchanged, nothing as an empty text, any other value as JSON. */
export function asText(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}
