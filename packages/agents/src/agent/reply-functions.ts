import { FencedError } from '@fenced/core'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import type { Agent, RegisterReplyOptions, ReplyFunction, ReplyTrigger } from './agent.ts'

interface RegisteredReply {
  readonly trigger: ReplyTrigger
  readonly reply: ReplyFunction
  config: unknown
  /** What `config` is again after a reset. */
  readonly initialConfig: unknown
  readonly resetConfig: ((config: unknown) => unknown) | undefined
}

const replyOptionNames: OptionNames<RegisterReplyOptions> = {
  position: true,
  config: true,
  resetConfig: true,
  removeOtherReplyFunctions: true,
}

/** The ways to reply that an agent has, in the order in which they are asked. */
export class ReplyFunctions implements Iterable<RegisteredReply> {
  #registered: RegisteredReply[] = []

  add(trigger: ReplyTrigger, reply: ReplyFunction, options: RegisterReplyOptions = {}): void {
    const {
      position = 0,
      config,
      resetConfig,
      removeOtherReplyFunctions = false,
    } = knownOptions(options, replyOptionNames, 'registerReply()')
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
