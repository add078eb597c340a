import { FencedError } from '@fenced/core'
import { knownOptions } from '@fenced/core/internal'
import { hasMadeText } from '../message/made-parts.ts'
import {
  enveloped,
  type Message,
  type MessageDraft,
  type MessageInput,
  textOf,
  withText,
} from '../message/message.ts'
import { toSent } from '../message/sent-and-received.ts'
import { toolCallsOf } from '../message/tool-parts.ts'
import { copiesOutput, outputsIn, writtenTextOf } from '../message/written-text.ts'
import type { AgentTool, ToolDescription } from '../tool/agent-tool.ts'
import type {
  Agent,
  AgentHooks,
  HookName,
  RegisterReplyOptions,
  ReplyFunction,
  ReplyTrigger,
} from './agent.ts'

interface RegisteredReply {
  readonly trigger: ReplyTrigger
  readonly reply: ReplyFunction
  config: unknown
  /** What `config` is again after a reset. */
  readonly initialConfig: unknown
  readonly resetConfig: ((config: unknown) => unknown) | undefined
}

/** The ways to reply that an agent has, in the order in which they are asked. */
export class ReplyFunctions implements Iterable<RegisteredReply> {
  #registered: RegisteredReply[] = []

  add(trigger: ReplyTrigger, reply: ReplyFunction, options: RegisterReplyOptions = {}): void {
    const names = {
      position: true,
      config: true,
      resetConfig: true,
      removeOtherReplyFunctions: true,
    } as const
    const known = knownOptions(options, names, 'registerReply()')
    const { position = 0, config, resetConfig, removeOtherReplyFunctions = false } = known
    if (removeOtherReplyFunctions) this.#registered = []
    const registered = { trigger, reply, config: copied(config), initialConfig: config, resetConfig }
    this.#registered.splice(position, 0, registered)
  }

  /** @throws FencedError `UNKNOWN_REPLY_FUNCTION`. */
  replace(old: ReplyFunction, reply: ReplyFunction, agent: Agent): void {
    if (!this.#registered.some((registered) => registered.reply === old)) {
      throw new FencedError({
        code: 'UNKNOWN_REPLY_FUNCTION',
        message: `The function to replace is not registered with the agent "${agent.name}".`,
        data: { agent: agent.name },
      })
    }
    this.#registered = this.#registered.map((registered) =>
      registered.reply === old ? { ...registered, reply } : registered,
    )
  }

  reset(): void {
    for (const registered of this.#registered) {
      registered.config = copied(
        registered.resetConfig === undefined
          ? registered.initialConfig
          : registered.resetConfig(registered.config),
      )
    }
  }

  [Symbol.iterator](): Iterator<RegisteredReply> {
    // A function may register further functions while it runs.
    return [...this.#registered][Symbol.iterator]()
  }
}

function copied(config: unknown): unknown {
  return typeof config === 'object' && config !== null && Object.getPrototypeOf(config) === Object.prototype
    ? { ...config }
    : config
}

type Sender = Agent | undefined

/**
 * Whether a trigger means this sender.
 *
 * @throws FencedError `INVALID_TRIGGER` when a function answers with anything but true and false.
 */
export function matches(trigger: ReplyTrigger, sender: Sender): boolean {
  if (trigger === null) return sender === undefined
  if (Array.isArray(trigger)) return trigger.some((one) => matches(one, sender))
  if (typeof trigger === 'string') return sender?.name === trigger
  if (typeof trigger !== 'function') return trigger === sender
  if (isClass(trigger)) return sender instanceof trigger
  const answer = (trigger as (sender: Sender) => unknown)(sender)
  if (typeof answer === 'boolean') return answer
  throw new FencedError({
    code: 'INVALID_TRIGGER',
    message: `A trigger function must return true or false, but this one returned ${String(answer)}.`,
    data: { value: String(answer) },
  })
}

/** @throws FencedError `INVALID_TRIGGER`. */
export function checkTrigger(trigger: unknown): asserts trigger is ReplyTrigger {
  const isTrigger =
    trigger === null || typeof trigger === 'string' || typeof trigger === 'function' || isAgent(trigger)
  if (isTrigger) return
  if (Array.isArray(trigger)) {
    for (const one of trigger) checkTrigger(one)
    return
  }
  throw new FencedError({
    code: 'INVALID_TRIGGER',
    message: `A trigger must be an agent class, an agent, the name of an agent, a function, null, or a list of these. This trigger is ${typeof trigger}.`,
    data: { type: typeof trigger },
  })
}

type AgentClass = abstract new (...args: never[]) => Agent

/** Compares by methods: a second installed copy of this package has a different class. */
function isAgent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'generateReply' in value
}

function isClass(value: unknown): value is AgentClass {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
}

/** The hooks of one agent, in the order in which they were registered. */
export class HookList {
  readonly #hooks: { [Name in HookName]: AgentHooks[Name][] } = {
    processMessageBeforeSend: [],
    processLastReceivedMessage: [],
    processAllMessagesBeforeReply: [],
  }

  get isEmpty(): boolean {
    return Object.values(this.#hooks).every((hooks) => hooks.length === 0)
  }

  /** @throws FencedError `INVALID_HOOK` for a name that does not exist, or a function that is registered already. */
  add<Name extends HookName>(name: Name, hook: AgentHooks[Name]): void {
    const hooks = Object.hasOwn(this.#hooks, name) ? this.#hooks[name] : undefined
    const known = Object.keys(this.#hooks).join(', ')
    if (hooks === undefined)
      throw invalidHook(`There is no hook "${name}". Available hooks: ${known}.`, { hook: name, known })
    if (hooks.includes(hook))
      throw invalidHook(`This function is already registered for ${name}.`, { hook: name })
    hooks.push(hook)
  }

  /** @throws FencedError `INVALID_MESSAGE`. */
  async beforeSend(
    message: Message,
    context: Parameters<AgentHooks['processMessageBeforeSend']>[1],
  ): Promise<Message> {
    let sent = message
    for (const hook of this.#hooks.processMessageBeforeSend) {
      const given = await hook(sent, context)
      if (given !== sent) sent = toSent(withOrigin(given, sent), context.sender.name)
    }
    return sent
  }

  async beforeReply(messages: readonly Message[]): Promise<readonly Message[]> {
    let seen = await this.#withLastMessage(messages)
    for (const hook of this.#hooks.processAllMessagesBeforeReply) seen = withOrigins(await hook(seen), seen)
    return seen
  }

  async #withLastMessage(messages: readonly Message[]): Promise<readonly Message[]> {
    const last = messages.at(-1)
    if (last === undefined || last.role === 'tool' || toolCallsOf(last).length > 0) return messages
    const before = textOf(last)
    if (before === '' || writtenTextOf(last) === 'exit') return messages
    let text = before
    for (const hook of this.#hooks.processLastReceivedMessage) text = await hook(text)
    return text === before ? messages : [...messages.slice(0, -1), withText(last, text)]
  }
}

/** A hook's version of a message has the message's origin, unless the hook names another. */
function withOrigin(given: MessageInput, before: Message): MessageInput {
  const message = typeof given === 'string' ? { content: given } : given
  const isUnmarked = hasMadeText(before) && !hasMadeText(message)
  return { ...message, origin: isUnmarked ? 'program' : (message.origin ?? before.origin) }
}

/** A hook's version of the messages: each has the origin of its original, found by id or position. */
function withOrigins(given: readonly MessageDraft[], before: readonly Message[]): Message[] {
  const originals = new Map(before.map((message) => [message.id, message]))
  const outputs = outputsIn(before)
  return given.map((draft, index) => {
    const samePlace = given.length === before.length ? before[index] : undefined
    const original = originals.get(draft.id ?? '') ?? samePlace
    if (original !== undefined) return enveloped(withOrigin(draft, original) as MessageDraft)
    const message = enveloped(draft)
    return copiesOutput(textOf(message), outputs) ? { ...message, origin: 'program' } : message
  })
}

function invalidHook(message: string, data: Readonly<Record<string, string>>): FencedError {
  return new FencedError({ code: 'INVALID_HOOK', message, data })
}

/** The agent whose model calls a tool, and the agent that executes it. */
export interface ToolRoles {
  /** Agent whose model can call the tool. */
  readonly caller: Agent
  readonly executor: Agent
  /** Name of the tool. @default the tool's own name */
  readonly name?: string | undefined
  /** Description for the model. @default the tool's own description */
  readonly description?: ToolDescription | undefined
}

/**
 * Registers a tool with two agents: the model of one calls it, and the other executes it.
 *
 * @throws FencedError `INVALID_OPTIONS`, `INVALID_TOOL`.
 */
export function registerFunction<Input, Output>(
  tool: Omit<AgentTool<Input, Output>, 'name'> & { readonly name?: string },
  roles: ToolRoles,
): void {
  const names = { caller: true, executor: true, name: true, description: true } as const
  const known = knownOptions(roles, names, 'registerFunction()')
  const { caller, executor, name = tool.name ?? '', description = tool.description } = known
  const { inputSchema } = tool
  const named: AgentTool<Input, Output> = {
    name,
    description,
    inputSchema,
    execute: (input, options) => tool.execute(input, options),
    needsApproval: tool.needsApproval,
    ...(tool.toModelOutput === undefined
      ? {}
      : { toModelOutput: (result) => tool.toModelOutput?.(result) as never }),
  }
  caller.registerForModel(named)
  executor.registerForExecution(named)
}
