import { FencedError } from '@fenced/core'
import type { ChatQueueEntry } from './initiate-chats.ts'

/** An entry with the ones that must have ended before it. */
export interface OrderedEntry {
  readonly entry: ChatQueueEntry
  readonly index: number
  /** Their places in the queue: one entry may stand in it twice. */
  readonly prerequisites: readonly number[]
}

/**
 * The entries of a queue, each behind its prerequisites.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export function inDependencyOrder(queue: readonly ChatQueueEntry[]): readonly OrderedEntry[] {
  const waiting = new Set(withPrerequisites(queue))
  const ordered: OrderedEntry[] = []
  const placed = new Set<number>()
  while (waiting.size > 0) {
    const free = [...waiting].filter(({ prerequisites }) => prerequisites.every((other) => placed.has(other)))
    if (free.length === 0) {
      const names = [...waiting].map(({ entry, index }) => entry.chatId ?? index).join(', ')
      throw invalidQueue(`the prerequisites of these form a circle: ${names}.`)
    }
    for (const one of free) {
      waiting.delete(one)
      placed.add(one.index)
      ordered.push(one)
    }
  }
  return ordered
}

function withPrerequisites(queue: readonly ChatQueueEntry[]): OrderedEntry[] {
  const byId = new Map<string | number, number>()
  for (const [index, entry] of queue.entries()) {
    if (entry.chatId === undefined) continue
    if (byId.has(entry.chatId)) throw invalidQueue(`two chats have the chatId ${entry.chatId}.`)
    byId.set(entry.chatId, index)
  }
  return queue.map((entry, index) => ({
    entry,
    index,
    prerequisites: (entry.prerequisites ?? []).map((id) => {
      const other = byId.get(id)
      if (other === undefined)
        throw invalidQueue(`chat ${index} waits for the chatId ${id}, which no chat has.`)
      return other
    }),
  }))
}

/** What is wrong with a queue. */
export function invalidQueue(problem: string): FencedError {
  return new FencedError({ code: 'INVALID_OPTIONS', message: `Wrong queue for initiateChats: ${problem}` })
}
