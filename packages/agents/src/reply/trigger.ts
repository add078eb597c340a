import { FencedError } from '@fenced/core'
import type { ConversableAgent } from '../agent/conversable-agent.ts'
import type { ReplyTrigger } from './reply-function.ts'

type Sender = ConversableAgent | undefined

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
    message: `A trigger that is a function must return true or false; it returned ${String(answer)}.`,
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
    message: `A trigger is a class of agents, an agent, the name of one, a function, null, or a list of these; this is ${typeof trigger}.`,
  })
}

type AgentClass = abstract new (...args: never[]) => ConversableAgent

/** By what it can do: another installed copy of this package has another class. */
function isAgent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'generateReply' in value
}

function isClass(value: unknown): value is AgentClass {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
}
