import { expect, it } from 'vitest'
import { textOf } from '../message/message.ts'
import { microtasks } from '../microtasks.fixture.ts'
import { MaxMessageTermination, TextMentionTermination } from '../termination/conditions.ts'
import { RoundRobinGroupChat } from './round-robin-group-chat.ts'
import { saidIn, TestAgent } from './test-agent.fixture.ts'

it('fifty teams at once hear and say only what is theirs, with one condition for all', async () => {
  const terminationCondition = new MaxMessageTermination({ maxMessages: 21 }).or(
    new TextMentionTermination({ text: '9/49' }),
  )
  const teams = Array.from({ length: 50 }, (_, number) => {
    const agents = ['a', 'b'].map(
      (name) =>
        new TestAgent(name, async ({ turn }) => {
          for (let rest = (number * 7 + turn * 3) % 5; rest > 0; rest--) await microtasks()
          return `${name} ${turn}/${number}`
        }),
    )
    return { agents, group: new RoundRobinGroupChat({ participants: agents, terminationCondition }) }
  })
  const results = await Promise.all(teams.map(({ group }, number) => group.run({ task: `task ${number}` })))
  for (const [number, { messages, stopReason }] of results.entries()) {
    const spoken = Array.from({ length: 20 }, (_, index) => {
      const name = index % 2 === 0 ? 'a' : 'b'
      return `${name}: ${name} ${Math.floor(index / 2)}/${number}`
    })
    const isOther = number === 49
    expect(saidIn(messages)).toEqual([`user: task ${number}`, ...(isOther ? spoken.slice(0, 19) : spoken)])
    expect(stopReason).toBe(
      isOther ? "Text '9/49' mentioned" : 'Maximum number of messages 21 reached, current message count: 21',
    )
    const heard = teams[number]?.agents.flatMap((agent) => agent.heard.flat()) ?? []
    expect(heard.map(textOf).every((text) => text.endsWith(`/${number}`) || text === `task ${number}`)).toBe(
      true,
    )
  }
})
