import { describe, expect, it } from 'vitest'
import { itemsOf, program, runner, solver } from './solving.fixture.ts'

/** Cancels an agent while its program runs. */
async function cancelled(
  { agent }: Pick<ReturnType<typeof runner>, 'agent'>,
  task = program('say so far', 'hang'),
) {
  const stop = new AbortController()
  const running = agent.run({ task, signal: stop.signal })
  for await (const item of running) {
    if (item.type === 'code' && item.event.type === 'stdout') stop.abort()
  }
  return await running
}

describe('a turn that was cancelled, of an agent without a model', () => {
  it('is in its context and its state, and the next turn knows what ran', async () => {
    const parts = runner()
    expect((await cancelled(parts)).status).toBe('cancelled')
    expect(await parts.agent.modelContext.messages()).toMatchObject([
      { role: 'user', source: 'user', content: program('say so far', 'hang') },
      { role: 'user', source: 'runner', content: expect.stringContaining('so far') },
    ])
    const state = JSON.parse(JSON.stringify(await parts.agent.saveState()))
    const other = runner()
    await other.agent.loadState(state)
    const { message } = await other.agent.onMessages([])
    expect(message.content).toMatch(/^The script was cancelled before its end.*so far/s)
    expect(other.executor.ran).toEqual([])
    expect((await other.agent.onMessages([])).message.content).toMatch(/^No code blocks found/)
  })

  it('runs what it has not begun', async () => {
    const { agent, executor } = runner()
    const { status } = await agent.run({ task: program('say 1'), signal: AbortSignal.abort() })
    expect([status, executor.ran]).toEqual(['cancelled', []])
    expect((await agent.onMessages([])).message.content).toBe('1\n')
    expect((await agent.onMessages([])).message.content).toMatch(/^No code blocks found/)
  })

  it('runs a new program, and not the old one again', async () => {
    const parts = runner()
    await cancelled(parts)
    await parts.agent.run({ task: program('say 2') })
    expect(parts.executor.ran).toEqual(['say so far\nhang', 'say 2'])
  })
})

it('a program that waited for its approval is one of which nothing is known to have come', async () => {
  const stop = new AbortController()
  const { agent, prompt } = solver([program('say 1'), 'I see.'], {
    ask: {
      code: () => {
        stop.abort()
        return new Promise(() => {})
      },
    },
  })
  await itemsOf(agent.run({ task: 'Begin.', signal: stop.signal }))
  await agent.run({ task: 'Go on.' })
  expect(prompt(1).at(-1)).toMatch(/was cancelled before anything is known.*Go on\./s)
})
