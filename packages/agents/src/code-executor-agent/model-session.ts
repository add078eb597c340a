import type { ModelMessage } from 'ai'
import { createMessage, type Message, modelMessage, textOf } from '../message/message.ts'
import { withNames } from '../message/sent-and-received.ts'
import { toolCallsOf } from '../message/tool-parts.ts'
import { requestWholeAnswer } from '../model/cut-answer.ts'
import { type AskingAgent, type ModelClient, withModelEvents } from '../model/model-client.ts'
import type { ModelReply } from '../model/model-request.ts'
import { toModelMessages } from '../model/to-model-messages.ts'
import type { AnyAgentTool } from '../tool/agent-tool.ts'
import { type CallingReply, calledTooOften, callOwnTools, type ToolCallContext } from '../tool/call-tool.ts'
import { UsageMeter } from '../usage.ts'
import { type RetryDecision, retryDecisionSchema } from './retry.ts'
import type { TurnParts } from './run-program.ts'
import { knownResponses, type UnfinishedCalls } from './saved-question.ts'

interface ModelSessionParts extends TurnParts {
  readonly client: ModelClient
  readonly instructions: string | undefined
  readonly tools: TurnTools
  readonly unfinished?: UnfinishedCalls | undefined
}

/** The tools that the agent calls for its model. */
export interface TurnTools extends Pick<ToolCallContext, 'askTool' | 'ledger' | 'sandbox'> {
  readonly byName: ReadonlyMap<string, AnyAgentTool>
  readonly maxIterations: number
}

/** The model of an agent while it answers once: what it says becomes events, and all that it uses is counted. */
export class ModelSession {
  readonly usage = new UsageMeter()
  #isBegun = false
  readonly #parts: ModelSessionParts
  readonly #name: string
  readonly #hasPictures: boolean

  constructor(parts: ModelSessionParts) {
    this.#parts = parts
    this.#name = parts.settings.name
    this.#hasPictures = parts.settings.pictures !== undefined
  }

  /**
   * Asks for an answer, which becomes part of the conversation; a `question` for it does not. What the model wants of tools
   * is called on the way.
   */
  async answer(question?: string): Promise<ModelReply> {
    const { context, tools } = this.#parts
    await this.#finishCalls()
    for (let iterations = 0; ; iterations++) {
      const reply = await this.#ask(question)
      const { text, toolCalls } = reply
      const said = this.#said(reply.content)
      if (toolCalls.length === 0) {
        if (text !== '') await context.add(said)
        return reply
      }
      if (iterations === tools.maxIterations) {
        const content = `${text}\n\n${calledTooOften(iterations)}`.trim()
        await context.add(this.#said(content))
        return { ...reply, text: content, toolCalls: [] }
      }
      const heard = await this.#messages(question)
      await context.add(said)
      await context.add(await this.#callTools(reply, heard))
    }
  }

  /** Makes the calls that were not over when the agent was saved. */
  async #finishCalls(): Promise<void> {
    const { context, unfinished } = this.#parts
    if (this.#isBegun || unfinished === undefined) return
    this.#isBegun = true
    const messages = await context.messages()
    const last = messages.at(-1)
    const toolCalls = last === undefined ? [] : toolCallsOf(last)
    if (last === undefined || toolCalls.length === 0) return
    const heard = messages.slice(0, -1).map(modelMessage)
    await context.add(await this.#callTools({ text: textOf(last), toolCalls }, heard, unfinished))
  }

  #said(content: ModelReply['content']): Message {
    return createMessage({ role: 'assistant', source: this.#name, origin: 'model', content })
  }

  async #ask(question: string | undefined): Promise<ModelReply> {
    const { client, instructions } = this.#parts
    const pictures = this.#hasPictures
    const messages = await this.#messages(question)
    const tools = Object.fromEntries(this.#parts.tools.byName)
    return await requestWholeAnswer(this.#asking, client, { instructions, messages, pictures, tools })
  }

  async #callTools(
    reply: CallingReply,
    heard: readonly ModelMessage[],
    unfinished?: UnfinishedCalls,
  ): Promise<Message> {
    const { tools, run } = this.#parts
    const { messages } = toModelMessages({ messages: heard })
    return await callOwnTools(reply, {
      ...{ agent: this.#name, run, messages, ...tools },
      saved: unfinished?.question,
      finished: unfinished && knownResponses(unfinished, reply.toolCalls),
    })
  }

  /** Asks what is to be done about a failure. The question and the answer are no part of the conversation. */
  async decide(question: string): Promise<RetryDecision> {
    const { client, instructions } = this.#parts
    const pictures = this.#hasPictures
    const messages = await this.#messages(question)
    const schema = { schema: retryDecisionSchema, schemaName: 'retry_decision' }
    const request = { instructions, messages, pictures, ...schema }
    return (await withModelEvents(this.#asking, (options) => client.askObject(request, options))).object
  }

  get #asking(): AskingAgent {
    const { run } = this.#parts
    return { agent: this.#name, run, addUsage: (modelId, usage) => this.usage.add(modelId, usage) }
  }

  async #messages(question: string | undefined): Promise<readonly ModelMessage[]> {
    const messages = withNames(await this.#parts.context.messages(), this.#name)
    return question === undefined ? messages : [...messages, { role: 'user', content: question }]
  }
}
