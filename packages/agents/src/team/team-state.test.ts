import { describe, expect, it } from 'vitest'
import { codeOf } from '../agent/agents.fixture.ts'
import type { AgentState } from '../event.ts'
import { RoundRobinGroupChat } from './round-robin-group-chat.ts'
import { saidIn, TestAgent } from './test-agent.fixture.ts'

const make = (names: string[], maxTurns = 2) => {
  const agents = names.map((name) => new TestAgent(name))
  return { agents, group: new RoundRobinGroupChat({ participants: agents, maxTurns }) }
}

describe('a saved state', () => {
  it('goes on in another team as in its own, also as JSON (TE-08)', async () => {
    const { group, agents } = make(['a', 'b', 'c'])
    await group.run({ task: 'go' })
    const state = JSON.parse(JSON.stringify(await group.saveState()))
    const other = make(['a', 'b', 'c'])
    await other.group.loadState(state)
    expect(await other.group.saveState()).toEqual(state)
    const went = [await group.run({ task: 'more' }), await other.group.run({ task: 'more' })]
    expect(saidIn(went[1]?.messages ?? [])).toEqual(['user: more', "c: c's", "a: a's"])
    expect(went.map(({ messages }) => saidIn(messages))[0]).toEqual(saidIn(went[1]?.messages ?? []))
    expect(other.agents.map(({ heard }) => heard.map(saidIn))).toEqual(
      agents.map(({ heard }) => heard.map(saidIn)),
    )
  })

  it('is not changed by what comes after it', async () => {
    const { group } = make(['a', 'b'], 1)
    await group.run({ task: 'go' })
    const state = await group.saveState()
    const before = JSON.stringify(state)
    await group.run({ task: 'more' })
    expect(JSON.stringify(state)).toBe(before)
  })

  it('takes the place of what there was', async () => {
    const { group } = make(['a', 'b'])
    const state = await group.saveState()
    await group.run({ task: 'go' })
    await group.loadState(state)
    expect(await group.saveState()).toEqual(state)
  })

  it('of another team or another form is refused', ({ everyRow }) =>
    everyRow<[string, (state: AgentState) => unknown]>(
      [
        ['of another kind', (state) => ({ ...state, type: 'SelectorGroupChat' })],
        ['of a newer version', (state) => ({ ...state, version: 4 })],
        ['of an earlier version', (state) => ({ ...state, version: 2 })],
        ['with more in it', (state) => ({ ...state, more: true })],
        ['of others', () => make(['a', 'x']).group.saveState()],
        ['of more', () => make(['a', 'b', 'c']).group.saveState()],
        ['of fewer', () => make(['a']).group.saveState()],
        ['of nobody who comes next', (state) => ({ ...state, nextSpeaker: 'x' })],
        [
          'of an agent that does not know it',
          async () =>
            JSON.parse(
              JSON.stringify(await make(['a', 'b']).group.saveState()).replaceAll('TestAgent', 'Other'),
            ),
        ],
        ['that is none', () => null],
      ],
      async (_, change) => {
        const { group } = make(['a', 'b'])
        const state = (await change(await group.saveState())) as AgentState
        expect(await codeOf(() => group.loadState(state))).toBe('INVALID_STATE')
        expect((await group.run({ task: 'go' })).messages).toHaveLength(3)
      },
    ))
})

it('a reset forgets everything, and begins with the first speaker (TE-08)', async () => {
  const { group, agents } = make(['a', 'b', 'c'])
  await group.run({ task: 'go' })
  await group.reset()
  expect(saidIn((await group.run({ task: 'new' })).messages)).toEqual(['user: new', "a: a's", "b: b's"])
  expect(agents.map(({ heard }) => heard.flat().length)).toEqual([1, 2, 0])
})
