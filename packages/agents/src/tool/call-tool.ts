import type { DecisionLedger, ToolApprovalRequest } from '@fenced/core'
import { askedAgain, recordedCall, traced, withDigest } from '@fenced/core/internal'
import { errorMessage } from '@fenced/errors'
import { shortened, visibleCode, visibleName } from '@fenced/errors/text'
import { untilAborted } from '@fenced/shared'
import { asSchema, type ModelMessage } from 'ai'
import { createMessage, type Message } from '../message/message.ts'
import {
  asText,
  picturesIn,
  type ToolCall,
  type ToolResponse,
  toolResponsesOf,
  toolResultPart,
} from '../message/tool-parts.ts'
import type { ModelReply } from '../model/model-request.ts'
import { toModelMessages } from '../model/to-model-messages.ts'
import { wrongArguments } from '../model/tool-calls.ts'
import { isSuspension } from '../running/questions.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { deniedOnLoading, type SavedTurn, savedOf } from '../running/saved-questions.ts'
import { type AnyAgentTool, type ContentPart, type SandboxSession, sandboxOfCall } from './agent-tool.ts'
import { type AskTool, askedWithEvents, noApprover } from './ask-tool.ts'

export interface ToolCallContext {
  /** The conversation that led to the call, for the tool. */
  readonly messages: ModelMessage[]
  readonly signal: AbortSignal
  /** Called with what a tool tells before its end. */
  readonly onOutput: (output: unknown) => void | Promise<void>
  readonly askTool?: AskTool | undefined
  /** Whether only calls that need an approval are asked about. @default all calls are, except those that need none */
  readonly asksIfNeeded?: boolean | undefined
  /** Records the decision about the call, so that the call is made at most once for it. */
  readonly ledger: DecisionLedger
  /** The turn that waited for answers when the agent was saved. Its questions are repeated, with the same ids while the ledger has them open. */
  readonly saved?: SavedTurn | undefined
  readonly sandbox?: SandboxSession | undefined
}

export interface CallingAgent extends Omit<ToolCallContext, 'messages' | 'signal' | 'onOutput'> {
  readonly agent: string
  readonly run: RunContext
  readonly messages: readonly ModelMessage[]
  readonly byName: ReadonlyMap<string, AnyAgentTool>
}

/** Calls tools for the agent's own model. The calls and their answers become events. @throws the signal's reason. */
export async function callOwnTools(
  { text: content, toolCalls }: Pick<ModelReply, 'text' | 'toolCalls'>,
  caller: CallingAgent,
): Promise<Message> {
  const { agent, run } = caller
  await run.emit({ type: 'tool-calls', agent, content, toolCalls })
  const answered = await callTools(toolCalls, caller)
  run.signal.throwIfAborted()
  await run.emit({ type: 'tool-results', agent, results: toolResponsesOf(answered) })
  return answered
}

/**
 * Calls tools, all at the same time, and returns the message with their answers in the order of the calls. If questions wait for their
 * answers, the other calls end first.
 *
 * @throws {@link Suspension}
 */
export async function callTools(toolCalls: readonly ToolCall[], caller: CallingAgent): Promise<Message> {
  const { messages } = toModelMessages({ messages: caller.messages })
  const responses = toolCalls.map((call) => callWithEvents(call, { ...caller, messages }))
  await Promise.allSettled(responses)
  const content = (await Promise.all(responses)).map(toolResultPart)
  return createMessage({ role: 'tool', source: caller.agent, origin: 'program', content })
}

async function callWithEvents(
  call: ToolCall,
  { agent, run, byName, askTool, ...caller }: CallingAgent & Pick<ToolCallContext, 'messages'>,
): Promise<ToolResponse> {
  const known = knownResponse(call, caller.saved)
  if (known === undefined) await run.emit({ type: 'tool-start', agent, call })
  const tool = byName.get(call.name)
  const response =
    known ??
    (await traced('fenced:tool', { tool: tool?.name ?? 'other' }, () =>
      callTool(tool, call, {
        ...caller,
        signal: run.signal,
        onOutput: (output) => run.emit({ type: 'tool-output', agent, call, output }),
        askTool: askedWithEvents(askTool, { agent, run }),
        asksIfNeeded: askTool === undefined,
      }),
    ))
  await run.emit({ type: 'tool-end', agent, call, response })
  return response
}

/** The answer to a call that is not made: it was made before the agent was saved, or was denied when the state was loaded. */
function knownResponse(call: ToolCall, saved: SavedTurn | undefined): ToolResponse | undefined {
  const known = saved?.toolResponses.find(({ toolCallId }) => toolCallId === call.id)
  return known ?? (saved?.areDenied === true ? deniedCall(call, deniedOnLoading) : undefined)
}

/**
 * Calls a tool. An error is a result that the model can read.
 *
 * 1. Checks the arguments with the schema of the tool.
 * 2. Creates the question whether the call is allowed, if the tool or the agent requires one.
 * 3. Asks, and executes the tool at most once for the answer.
 * 4. Turns the output into a text, and pictures, for the model.
 */
export async function callTool(
  tool: AnyAgentTool | undefined,
  call: ToolCall,
  context: ToolCallContext,
): Promise<ToolResponse> {
  if (tool === undefined) return failed(call, `Function ${call.name} not found.`)
  try {
    const { input, fault } = await checkedInput(tool, call)
    if (fault !== undefined) return failed(call, fault)
    const { request, denial } = await questionOf(tool, { ...call, input }, context)
    if (denial !== undefined) return deniedCall(call, denial)
    const make = () => untilAborted(execute(tool, { ...call, input }, context), context.signal)
    const made = await executeAllowed(request, make, context)
    if ('denial' in made) return deniedCall(call, made.denial)
    const output = await modelOutput(tool, { toolCallId: call.id, input, output: made.output })
    return { toolCallId: call.id, name: call.name, ...output }
  } catch (error) {
    if (isSuspension(error)) throw error
    return failed(call, errorMessage(error))
  }
}

function failed({ id: toolCallId, name }: ToolCall, fault: string): ToolResponse {
  return { toolCallId, name, content: `Error: ${fault}`, isError: true }
}

export function deniedCall(call: ToolCall, reason: string): ToolResponse {
  return failed(call, `The call was denied: ${reason}`)
}

async function checkedInput(
  { inputSchema }: AnyAgentTool,
  { input }: ToolCall,
): Promise<{ readonly input: never; readonly fault?: string }> {
  const given = input as never
  const checked = await asSchema(inputSchema).validate?.(given)
  if (checked?.success === true) return { input: checked.value }
  if (checked !== undefined) return { input: given, fault: wrongArguments(input, checked.error) }
  // A raw text is no JSON that can be trusted, and no schema has taken it.
  return typeof input === 'string'
    ? { input: given, fault: wrongArguments(input, 'an object is expected') }
    : { input: given }
}

interface CallQuestion {
  readonly denial?: string
  readonly request?: ToolApprovalRequest
}

async function questionOf(
  { name, description, needsApproval }: AnyAgentTool,
  { id, input }: ToolCall,
  { askTool, asksIfNeeded = false, ledger, saved, messages }: ToolCallContext,
): Promise<CallQuestion> {
  const needed: unknown =
    typeof needsApproval === 'function'
      ? await needsApproval(input, { toolCallId: id, messages, context: {} })
      : needsApproval
  if (askTool === undefined) return needed ? { denial: noApprover } : {}
  const asked = savedOf(saved, 'tool').find((one) => one.toolCallId === id && one.tool === name)
  const isAsked = asked !== undefined || (asksIfNeeded ? Boolean(needed) : needed !== false)
  if (!isAsked) return {}
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

async function executeAllowed(
  request: ToolApprovalRequest | undefined,
  make: () => Promise<never>,
  { askTool, ledger, signal }: ToolCallContext,
): Promise<{ readonly output: never } | { readonly denial: string }> {
  if (askTool === undefined || request === undefined) return { output: await make() }
  const ask = (asked: ToolApprovalRequest) => askTool(asked, { signal })
  const isLeftBehind = () => signal.aborted
  return await recordedCall(request, { ledger, make, ask, isLeftBehind, leavesOpen: isSuspension })
}

export function toolQuestion(asking: string, tool: string, input: unknown): string {
  return `${visibleName(asking)} wants to call the tool ${visibleName(tool)} with ${visibleCode(shortened(asText(input), longestInput))}.`
}

/** How much of the arguments a question has, in characters. */
const longestInput = 500

/** Executes a tool to its last output. The outputs before are progress. */
async function execute(
  tool: AnyAgentTool,
  { id, input }: ToolCall,
  context: ToolCallContext,
): Promise<never> {
  const { messages, signal: abortSignal, onOutput, sandbox } = context
  const options = { toolCallId: id, messages, abortSignal, context: {}, ...sandboxOfCall(sandbox) }
  const outputs: unknown = tool.execute(input as never, options)
  if (!isAsyncIterable(outputs)) return (await outputs) as never
  const seen: unknown[] = []
  for await (const output of outputs) {
    if (seen.length > 0) await onOutput(seen.pop())
    seen.push(output)
  }
  return seen[0] as never
}

async function modelOutput(
  tool: AnyAgentTool,
  result: { readonly toolCallId: string; readonly input: never; readonly output: never },
): Promise<Pick<ToolResponse, 'content' | 'pictures' | 'isError'>> {
  const shown = await tool.toModelOutput?.(result)
  if (shown === undefined || !('value' in shown)) return { content: asText(result.output) }
  const error = shown.type.startsWith('error-') ? { isError: true } : {}
  if (shown.type !== 'content') return { content: asText(shown.value), ...error }
  const { value = [] } = shown
  const pictures = value.flatMap(picturesIn)
  return { content: value.map(textOfPart).join('\n'), ...(pictures.length === 0 ? {} : { pictures }) }
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
