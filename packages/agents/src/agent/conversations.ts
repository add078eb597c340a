import { inspect } from 'node:util'
import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import type { Message } from '../message/message.ts'
import { OmissionNotice } from '../model-context/default-context.ts'
import { Repetitions } from '../running/repetitions.ts'
import type { Agent } from './agent.ts'

/** How many partners an agent keeps from being collected: those of its latest conversations. */
const mostPartners = 100

/**
 * What an agent keeps about its partners. A partner that nothing else refers to is forgotten once {@link mostPartners} others
 * have been in a conversation with the agent since: an agent of a server has one for each request.
 */
export class Conversations {
  readonly #byPartner = new WeakMap<Agent, Conversation>()
  /** All partners, in the order of their first conversation. */
  readonly #partners = new WeakMembers<Agent>()
  /** The latest partners, the newest last. */
  readonly #latest = new Set<Agent>()
  #maxConsecutiveAutoReply: number
  #repliesAtReceive = false

  constructor(maxConsecutiveAutoReply: number) {
    this.#maxConsecutiveAutoReply = maxConsecutiveAutoReply
  }

  /** Returns the conversation with a partner, or begins it. @throws FencedError `INVALID_OPTIONS` for a partner that is not an object. */
  with(partner: Agent): Conversation {
    if (Object(partner) !== partner) notAnAgent(partner)
    this.#keep(partner)
    const known = this.#byPartner.get(partner)
    if (known !== undefined) return known
    const conversation = new Conversation()
    conversation.repliesAtReceive = this.#repliesAtReceive
    this.#byPartner.set(partner, conversation)
    this.#partners.add(partner)
    return conversation
  }

  find(partner: Agent): Conversation | undefined {
    return this.#byPartner.get(partner)
  }

  /** A conversation that counts from where the one with a partner is, and changes nothing there. */
  copyWith(partner: Agent): Conversation {
    const copy = new Conversation()
    copy.autoReplies = this.find(partner)?.autoReplies ?? 0
    return copy
  }

  /** Of the latest partners with whom something was said and is not forgotten. */
  messages(): ReadonlyMap<Agent, readonly Message[]> {
    return new Map(this.#spoken().map(([partner, { messages }]) => [partner, [...messages]]))
  }

  /** Of one partner, or of the only one. */
  lastMessage(agent: Agent, partner?: Agent): Message | undefined {
    if (partner !== undefined) return this.find(partner)?.messages.at(-1) ?? unknownPartner(agent, partner)
    const spoken = this.#spoken()
    if (spoken.length > 1) severalPartners(agent, spoken)
    return spoken[0]?.[1].messages.at(-1)
  }

  maxConsecutiveAutoReply(partner?: Agent): number {
    const own = partner === undefined ? undefined : this.find(partner)?.maxConsecutiveAutoReply
    return own ?? this.#maxConsecutiveAutoReply
  }

  /** For one partner, or for all, also those that come. @throws FencedError `INVALID_OPTIONS`. */
  setMaxConsecutiveAutoReply(count: number, partner?: Agent): void {
    parseOptions(z.int().min(0), count, 'updateMaxConsecutiveAutoReply')
    if (partner !== undefined) {
      this.with(partner).maxConsecutiveAutoReply = count
      return
    }
    this.#maxConsecutiveAutoReply = count
    for (const conversation of this.#chosen(undefined)) conversation.maxConsecutiveAutoReply = undefined
  }

  /** For one partner, or for all, also those that come. */
  setRepliesAtReceive(replies: boolean, partner?: Agent): void {
    if (partner === undefined) this.#repliesAtReceive = replies
    for (const conversation of this.#chosen(partner)) conversation.repliesAtReceive = replies
  }

  resetAutoReplies(partner?: Agent): void {
    for (const conversation of this.#chosen(partner)) conversation.autoReplies = 0
  }

  clear(partner?: Agent, preserve?: number): void {
    const chosen = partner === undefined ? this.#all() : [[partner, this.with(partner)] as const]
    for (const [each, conversation] of chosen) {
      conversation.clear(preserve)
      if (conversation.messages.length === 0) this.#latest.delete(each)
    }
  }

  #spoken(): [Agent, Conversation][] {
    return [...this.#all()].filter(
      ([partner, { messages }]) => this.#latest.has(partner) && messages.length > 0,
    )
  }

  #chosen(partner: Agent | undefined): readonly Conversation[] {
    return partner === undefined ? [...this.#all()].map(([, each]) => each) : [this.with(partner)]
  }

  *#all(): Generator<[Agent, Conversation]> {
    for (const partner of this.#partners) {
      const conversation = this.find(partner)
      if (conversation !== undefined) yield [partner, conversation]
    }
  }

  #keep(partner: Agent): void {
    this.#latest.delete(partner)
    this.#latest.add(partner)
    const [oldest] = this.#latest
    if (this.#latest.size > mostPartners && oldest !== undefined) this.#latest.delete(oldest)
  }
}

function unknownPartner(agent: Agent, partner: Agent): never {
  throw new FencedError({
    code: 'UNKNOWN_PARTNER',
    message: `Agent "${agent.name}" has had no conversation with "${partner.name}".`,
    data: { agent: agent.name, partner: partner.name },
  })
}

function severalPartners(agent: Agent, spoken: readonly [Agent, Conversation][]): never {
  const names = spoken.map(([{ name }]) => name).join(', ')
  throw new FencedError({
    code: 'SEVERAL_PARTNERS',
    message: `Agent "${agent.name}" has conversations with ${names}. Name one of them.`,
    data: { agent: agent.name, partners: names },
  })
}

export class Conversation {
  readonly messages: Message[] = []
  readonly omission = new OmissionNotice()
  /** Number of automatic replies since the last message of a person. */
  autoReplies = 0
  /** The agent's own limit where none is set for this partner. */
  maxConsecutiveAutoReply: number | undefined
  /** Whether a message from this partner is answered when its sender does not say. */
  repliesAtReceive = false
  isBusy = false
  /** Whether its messages are those of a team: a model reads who said each. */
  isOfTeam = false
  /** The calls of the agent's own tools, and their results, in a reply that is not finished. */
  innerMessages: Message[] = []
  /** How many of the partner's latest messages have only data in their blocks. */
  dataMessages = 0
  /** The programs of the partner that have run. */
  readonly repetitions = new Repetitions()

  /**
   * Keeps the newest messages; one more where the oldest of them answers tool calls, which it needs.
   *
   * @param preserve - how many stay. Default none.
   */
  clear(preserve = 0): void {
    this.repetitions.clear()
    this.omission.clear()
    this.dataMessages = 0
    this.innerMessages = []
    const from = Math.max(0, this.messages.length - preserve)
    const answersCalls = this.messages[from]?.role === 'tool'
    this.messages.splice(0, answersCalls && from > 0 ? from - 1 : from)
  }
}

/** A list of objects that can be collected, in the order in which they were added. */
class WeakMembers<Member extends WeakKey> {
  #members: WeakRef<Member>[] = []
  /** At this length those that were collected are left out: it is twice what was there then. */
  #sweepAt = 1_000

  /** Adds a member that was not added before. */
  add(member: Member): void {
    this.#members.push(new WeakRef(member))
    if (this.#members.length < this.#sweepAt) return
    this.#members = this.#members.filter((each) => each.deref() !== undefined)
    this.#sweepAt = Math.max(1_000, 2 * this.#members.length)
  }

  *[Symbol.iterator](): Generator<Member> {
    for (const each of this.#members) {
      const member = each.deref()
      if (member !== undefined) yield member
    }
  }
}

/** @throws FencedError `INVALID_OPTIONS` for a partner that is no agent of this copy of the package. */
export function notAnAgent(value: unknown): never {
  const isOther = 'initiateChat' in Object(value)
  const got = inspect(value, { depth: 0 })
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: isOther
      ? 'This agent belongs to another installed copy of @fenced/agents. Create all agents of a conversation with the same copy.'
      : `A ConversableAgent is needed as the partner, such as new AssistantAgent({ name: 'assistant', model }); got ${got}.`,
    data: isOther ? { package: '@fenced/agents' } : { value: got },
  })
}
