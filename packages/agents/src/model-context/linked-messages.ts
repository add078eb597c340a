import type { ChatMessage } from '../message/chat-message.ts'

/**
 * The messages by their positions, those together that a model understands only together: calls of tools and the
 * answers to them. In the order of the last message of each. An id that is used again means its newest call.
 */
export function linkedMessages(messages: readonly ChatMessage[]): readonly (readonly number[])[] {
  const links: Link[] = []
  const open = new Map<string, Link[]>()
  for (const [position, { toolCalls = [], toolResponses = [] }] of messages.entries()) {
    const link: Link = { positions: [position] }
    links.push(link)
    for (const { toolCallId } of toolResponses) {
      const call = open.get(toolCallId)?.shift()
      if (call !== undefined) join(call, link)
    }
    for (const { id } of toolCalls) open.delete(id)
    for (const { id } of toolCalls) open.set(id, [...(open.get(id) ?? []), link])
  }
  const groups = new Set(links.map((link) => rootOf(link).positions))
  return [...groups].sort((one, other) => lastOf(one) - lastOf(other))
}

/** A message, and after it was joined with others the way to all of them. */
interface Link {
  positions: number[]
  joined?: Link
}

function join(one: Link, other: Link): void {
  const [from, to] = [rootOf(one), rootOf(other)]
  if (from === to) return
  to.positions = [...from.positions, ...to.positions].sort((a, b) => a - b)
  from.joined = to
}

function rootOf(link: Link): Link {
  let root = link
  while (root.joined !== undefined) root = root.joined
  return root
}

function lastOf(positions: readonly number[]): number {
  return positions.at(-1) ?? 0
}
