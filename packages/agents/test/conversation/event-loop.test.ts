import { expect, it } from 'vitest'
import { endless, speaker } from '../../src/agent/agents.fixture.ts'
import { asChatAgent } from '../../src/team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../../src/team/round-robin-group-chat.ts'

const echo = (name: string) => speaker(name, endless('again'))

/** Only the event loop can call it: a run without I/O waits for promises alone. */
function abortedFromOutside(): AbortSignal {
  const stop = new AbortController()
  setImmediate(() => stop.abort())
  return stop.signal
}

it('a conversation without I/O lets timers and I/O happen', async () => {
  const signal = abortedFromOutside()
  const chat = echo('a').initiateChat(echo('b'), { message: 'Begin.', maxTurns: 100_000, signal })
  expect((await chat).status).toBe('cancelled')
})

it('a team without I/O lets timers and I/O happen', async () => {
  const participants = [asChatAgent(echo('a')), asChatAgent(echo('b'))]
  const team = new RoundRobinGroupChat({ participants, maxTurns: 20_000 })
  expect((await team.run({ task: 'Begin.', signal: abortedFromOutside() })).status).toBe('cancelled')
})

it('replies one after the other let timers and I/O happen', async () => {
  const signal = abortedFromOutside()
  const agent = echo('a')
  const replying = async () => {
    for (let reply = 0; reply < 200_000; reply++) await agent.generateReply({ messages: [], signal })
  }
  await expect(replying()).rejects.toThrow('aborted')
})
