import { type ApproveTool, FencedError } from '@fenced/core'
import type { Running } from '@fenced/core/internal'
import { errorMessage } from '@fenced/core/internal'
import type { ModelMessage, TextStreamPart, ToolSet } from 'ai'
import { z } from 'zod'
import type { AgentEvent, EventInit, Response, TaskResult } from '../event.ts'
import { createMessage, type Message, modelMessage } from '../message/message.ts'
import { messageSchema, userMessage, withNames } from '../message/sent-and-received.ts'
import type { ToolCall, ToolResponse } from '../message/tool-parts.ts'
import { contentOf, userParts } from '../model/to-model-messages.ts'
import { readToolCall } from '../model/tool-calls.ts'
import { UsageMeter, usageOfCall } from '../model/usage.ts'
import { OneAtATime } from '../running/one-at-a-time.ts'
import type { RunContext } from '../running/run-with-events.ts'
import {
  type AgentState,
  type ChatAgent,
  type OnMessagesOptions,
  type RunTaskOptions,
  readState,
} from '../task/chat-agent.ts'
import { respond, runAgentTask } from '../task/run-task.ts'
import { askedWithEvents, asText, toolQuestion } from '../tool/call-tool.ts'
import { isAnswering } from './conversable-participant.ts'

/** As much of an `Agent` of the AI SDK, such as a `ToolLoopAgent`, as a team needs. */
export interface AiSdkAgent {
  readonly version: 'agent-v1'
  readonly id: string | undefined
  stream(options: { messages: ModelMessage[]; abortSignal?: AbortSignal }): PromiseLike<AiSdkAnswer>
}

interface AiSdkAnswer {
  readonly stream: AsyncIterable<TextStreamPart<ToolSet>>
  readonly text: PromiseLike<string>
  readonly responseMessages: PromiseLike<readonly ModelMessage[]>
}

/** Options of `asChatAgent` for an agent of the AI SDK. */
export interface AiSdkParticipantOptions {
  /** Its name in the team. Default: its `id`. */
  readonly name?: string | undefined
  /** Its description for other agents. Default: that it is an assistant with tools. */
  readonly description?: string | undefined
  /** Is asked where a tool of the agent needs an approval. Default: nobody is, and the call is denied. */
  readonly approveTool?: ApproveTool | undefined
  /** Whether it is given the pictures of messages. Default `false`. */
  readonly pictures?: boolean | undefined
}

const stateSchema = z.strictObject({
  type: z.literal('AiSdkAgent'),
  version: z.literal(2),
  messages: z.array(messageSchema),
})

/** See `asChatAgent`. */
export class AiSdkParticipant implements ChatAgent {
  readonly name: string
  readonly description: string
  readonly #agent: AiSdkAgent
  readonly #options: AiSdkParticipantOptions
  readonly #answering = new OneAtATime(() => isAnswering(this.name))
  /** What it has heard, and what it has said with all of its parts. */
  #messages: Message[] = []

  /** @throws FencedError `INVALID_OPTIONS` without a name. */
  constructor(agent: AiSdkAgent, options: AiSdkParticipantOptions) {
    const { name = agent.id, description = 'An assistant that solves tasks with its tools and with words.' } =
      options
    if (name === undefined || name === '')
      throw new FencedError({
        code: 'INVALID_OPTIONS',
        message: 'An agent of the AI SDK needs a name in a team: give it an `id`, or asChatAgent a `name`.',
      })
    this.name = name
    this.description = description
    this.#agent = agent
    this.#options = options
  }

  run(task?: string | RunTaskOptions): Running<TaskResult, AgentEvent> {
    return runAgentTask(this, task)
  }

  onMessages(
    messages: readonly Message[],
    { signal }: OnMessagesOptions = {},
  ): Running<Response, AgentEvent> {
    return respond(
      this.name,
      async (context) => {
        using _busy = this.#answering.take()
        this.#messages.push(...messages.map(userMessage))
        return { message: await this.#answer(this.#answering.following(context)) }
      },
      signal,
    )
  }

  async reset(): Promise<void> {
    using _busy = this.#answering.take()
    this.#messages = []
  }

  /** Also while somebody is asked: the answer that needs it is not in the state, and is asked for again. */
  async saveState(): Promise<AgentState> {
    using _busy = this.#answering.look()
    return { type: 'AiSdkAgent', version: 2, messages: structuredClone(this.#messages) }
  }

  async loadState(state: AgentState): Promise<void> {
    using _busy = this.#answering.take()
    this.#messages = readState(stateSchema, state, this.name).messages
  }

  /** Asks until no call waits for an approval. */
  async #answer(run: RunContext): Promise<Message> {
    const { signal, emit } = run
    const usage = new UsageMeter()
    for (;;) {
      const answer = await this.#agent.stream({ messages: this.#prompt(), abortSignal: signal })
      const events = new AiSdkEvents(this.name, usage)
      for await (const part of answer.stream) {
        for (const event of events.of(part)) await emit(event)
      }
      signal.throwIfAborted()
      const said: ModelMessage[] = [...(await answer.responseMessages)]
      for (const request of events.approvals) said.push(await this.#approved(request, run))
      // A call that waits for an answer is not kept: no provider takes the conversation with it.
      this.#messages.push(...said.map((message) => createMessage({ ...message, source: this.name })))
      if (events.approvals.length > 0) continue
      const used = usage.summary()
      return createMessage({
        role: 'assistant',
        source: this.name,
        content: await answer.text,
        ...(Object.keys(used.byModel).length === 0 ? {} : { metadata: { usage: used } }),
      })
    }
  }

  /** What the agent is told of a call that waits. */
  async #approved(
    { approvalId, toolCall: { toolCallId, toolName: tool, input } }: ApprovalPart,
    run: RunContext,
  ): Promise<ModelMessage> {
    const { approveTool } = this.#options
    const question = toolQuestion(this.name, tool, input)
    const id = crypto.randomUUID()
    const asked = structuredClone(input)
    const request = { kind: 'tool', id, toolCallId, question, tool, input: asked } as const
    const ask = approveTool === undefined ? nobody : askedWithEvents(approveTool, { agent: this.name, run })
    const answer = await ask(request, run)
    const reason = answer.decision === 'deny' ? { reason: answer.reason } : {}
    const approved = answer.decision === 'allow'
    return { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved, ...reason }] }
  }

  #prompt(): ModelMessage[] {
    const isShown = () => this.#options.pictures === true
    return withNames(this.#messages).map((message) =>
      message.role === 'user'
        ? { role: 'user', content: contentOf(userParts(message, isShown)) ?? '' }
        : modelMessage(message),
    )
  }
}

const nobody: ApproveTool = () => ({ decision: 'deny', reason: 'Nobody can be asked.' })

/** A call of a tool that waits for an approval. */
type ApprovalPart = Extract<TextStreamPart<ToolSet>, { type: 'tool-approval-request' }>

/** The stream of an agent of the AI SDK as events of a team. */
class AiSdkEvents {
  readonly approvals: ApprovalPart[] = []
  readonly #source: string
  readonly #usage: UsageMeter
  readonly #calls = new Map<string, ToolCall>()
  #thought = ''

  constructor(source: string, usage: UsageMeter) {
    this.#source = source
    this.#usage = usage
  }

  of(part: TextStreamPart<ToolSet>): readonly EventInit[] {
    const agent = this.#source
    switch (part.type) {
      case 'text-delta':
        return [{ type: 'text-delta', agent, text: part.text }]
      case 'reasoning-delta':
        this.#thought += part.text
        return [{ type: 'reasoning-delta', agent, text: part.text }]
      case 'reasoning-end': {
        const content = this.#thought
        this.#thought = ''
        return content === '' ? [] : [{ type: 'thought', agent, content }]
      }
      case 'tool-call': {
        const call = readToolCall(part)
        this.#calls.set(call.id, call)
        return [
          { type: 'tool-calls', agent, content: '', toolCalls: [call] },
          { type: 'tool-start', agent, call },
        ]
      }
      case 'tool-result':
        return part.preliminary === true ? [] : this.#executed(part, asText(part.output))
      case 'tool-error':
        return this.#executed(part, errorMessage(part.error), true)
      case 'tool-approval-request':
        this.approvals.push(part)
        return []
      case 'finish-step': {
        const { modelId } = part.response
        const usage = usageOfCall(part.usage, modelId, undefined)
        this.#usage.add(modelId, usage)
        return [{ type: 'usage', agent, modelId, usage }]
      }
      case 'error':
        throw part.error
      default:
        return []
    }
  }

  #executed(
    { toolCallId, toolName: name }: { readonly toolCallId: string; readonly toolName: string },
    content: string,
    isError = false,
  ): readonly EventInit[] {
    const agent = this.#source
    const response: ToolResponse = { toolCallId, name, content, ...(isError ? { isError } : {}) }
    const call = this.#calls.get(toolCallId) ?? { id: toolCallId, name, input: undefined }
    return [
      { type: 'tool-end', agent, call, response },
      { type: 'tool-results', agent, results: [response] },
    ]
  }
}
