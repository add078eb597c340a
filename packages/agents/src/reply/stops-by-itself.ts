import type { ReplyFunction } from '../agent/agent.ts'

const marked = new WeakSet<ReplyFunction>()

/** Marks a reply function that ends soon after its signal is aborted, with all that it began. A conversation waits for its end. */
export function stopsByItself(reply: ReplyFunction): ReplyFunction {
  marked.add(reply)
  return reply
}

/** Whether a reply function is marked. A function of a caller may never end, so a cancelled conversation does not wait for it. */
export function isMarked(reply: ReplyFunction): boolean {
  return marked.has(reply)
}
