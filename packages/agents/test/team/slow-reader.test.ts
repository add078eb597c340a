import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ConversableAgent } from '../../src/conversable-agent/conversable-agent.ts'
import type { Participant } from '../../src/task/chat-agent.ts'
import { asChatAgent } from '../../src/team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../../src/team/round-robin-group-chat.ts'

/** An agent that writes 30 MiB in its turn, and how many of them it has written. */
function writer() {
  const agent = new ConversableAgent({ name: 'writer', humanInputMode: 'never' })
  const progress = { written: 0 }
  agent.registerReply(
    () => true,
    async ({ chat }) => {
      for (; progress.written < 30; progress.written++)
        await chat.emit({ type: 'text-delta', agent: 'writer', text: 'x'.repeat(1024 * 1024) })
      return { reply: 'done' }
    },
  )
  return { agent, progress }
}

it.each([0, 1, 3])('an agent waits for a slow reader in the same way, inside of %i teams', async (depth) => {
  const { agent, progress } = writer()
  let runner: Participant = asChatAgent(agent)
  for (let level = 0; level < depth; level++)
    runner = new RoundRobinGroupChat({ name: `level ${level}`, participants: [runner], maxTurns: 1 })
  const run = runner.run('go')
  const events = run[Symbol.asyncIterator]()
  await events.next()
  for (let tick = 0; tick < 100; tick++) await setImmediate()
  expect(progress.written).toBe(3)
  let last = await events.next()
  for (let next = last; next.done !== true; next = await events.next()) last = next
  expect(last.value).toMatchObject({ type: 'task-end', result: { text: 'done' } })
})
