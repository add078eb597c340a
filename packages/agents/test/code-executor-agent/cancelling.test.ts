import { describe, expect, it } from 'vitest'
import { autoGenClass } from '../../src/autogen.ts'
import { isDelta } from '../../src/event.ts'
import { decision, itemsOf, ofType, outline, program, runner, solver } from './solving.fixture.ts'

const script = [
  program('say a', 'raise ValueError: no data'),
  decision(true, 'Read the other file.'),
  program('say 42'),
  'It is 42.',
]

function busy() {
  const parts = solver(script, { maxRetriesOnError: 1, ask: { code: () => ({ decision: 'allow' }) } })
  return { ...parts, begin: (signal?: AbortSignal) => parts.agent.run({ task: 'What is it?', signal }) }
}

type Busy = ReturnType<typeof busy>

const whole = await itemsOf(busy().begin())
const positions = whole.map(({ type }, index) => [index, type] as const)

/** Nothing runs any more, nothing changes any more, and the agent can be used. */
async function isQuiet({ agent, executor, model, begin }: Busy) {
  const seen = async () =>
    JSON.stringify([await agent.modelContext.messages(), executor.ran, model.prompts.length])
  const before = await seen()
  for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate)
  expect(await seen()).toBe(before)
  expect(executor.running.count).toBe(0)
  const state = await agent.saveState()
  await agent.loadState(JSON.parse(JSON.stringify(state)))
  expect(await agent.saveState()).toEqual(state)
  expect((await begin(AbortSignal.abort())).status).toBe('cancelled')
  await agent.reset()
  expect(await agent.modelContext.messages()).toEqual([])
}

describe('a run with a second try', () => {
  it('has events of all kinds that are of interest here', () => {
    expect([...new Set(whole.map(({ type }) => type))].sort()).toEqual([
      'approval-answered',
      'approval-requested',
      'code',
      'code-end',
      'code-generated',
      'message',
      'task-end',
      'task-start',
      'text-delta',
      'usage',
    ])
  })

  it('can be aborted at each item', ({ everyRow }) =>
    everyRow(positions, async (position) => {
      const parts = busy()
      const stop = new AbortController()
      const running = parts.begin(stop.signal)
      const items: Awaited<ReturnType<typeof itemsOf<(typeof whole)[number]>>> = []
      for await (const item of running) {
        items.push(item)
        if (items.length === position + 1) stop.abort()
      }
      const result = await running
      expect(items.at(-1)).toMatchObject({ type: 'task-end', result })
      expect(result.events).toEqual(items.slice(0, -1).filter((item) => !isDelta(item)))
      if (position < whole.length - 3) expect(result.status).toBe('cancelled')
      if (result.status === 'cancelled') expect(result.stopReason).toBe('It was cancelled.')
      await isQuiet(parts)
    }))

  it('can be left at each item', ({ everyRow }) =>
    everyRow(positions, async (position) => {
      const parts = busy()
      const running = parts.begin()
      let index = 0
      for await (const _ of running) if (index++ === position) break
      const { status, messages } = await running
      if (position < whole.length - 3) expect(status).toBe('cancelled')
      expect(messages.length).toBeGreaterThan(0)
      await isQuiet(parts)
    }))

  it('is cancelled before it begins, and has the task', async () => {
    const parts = busy()
    const { status, messages } = await parts.begin(AbortSignal.abort())
    expect([status, messages.map(autoGenClass)]).toEqual(['cancelled', ['TextMessage']])
    expect(parts.model.prompts).toEqual([])
    expect(await parts.agent.modelContext.messages()).toMatchObject([{ content: 'What is it?' }])
  })
})

describe('a program that is cancelled', () => {
  it('leaves its result with what it had printed, for the caller and for the conversation', async () => {
    const { agent, prompt } = solver([program('say so far', 'hang'), 'I see.'])
    const stop = new AbortController()
    const running = agent.run({ task: 'Wait.', signal: stop.signal })
    for await (const item of running) {
      if (item.type === 'code' && item.event.type === 'stdout') stop.abort()
    }
    const { status, events } = await running
    expect(status).toBe('cancelled')
    expect(ofType(events, 'code-end')[0]?.result).toMatchObject({
      status: 'cancelled',
      exitCode: 125,
      output: expect.stringMatching(/^so far\n/),
    })
    await agent.run({ task: 'Go on.' })
    expect(prompt(1).at(-1)).toMatch(/status: cancelled\).*so far.*Go on\./s)
  })

  it.each([
    ['without a model', runner],
    ['that does not reflect', () => solver([program('hang')], { reflectOnResult: false })],
  ])('is no answer of an agent %s', async (_, make) => {
    const { agent, executor } = make()
    const stop = new AbortController()
    const running = agent.run({ task: program('hang'), signal: stop.signal })
    await expect.poll(() => executor.running.count).toBe(1)
    stop.abort()
    const { status, events } = await running
    expect([status, outline(events).at(-1)]).toEqual(['cancelled', 'code-end 0'])
  })

  it('is no fault of an executor that rejects for it', async () => {
    const { agent, executor } = runner()
    const stop = new AbortController()
    executor.execute = () => {
      stop.abort()
      throw new Error('aborted')
    }
    const { status, messages } = await agent.run({ task: program('say 1'), signal: stop.signal })
    expect([status, messages.map(autoGenClass)]).toEqual(['cancelled', ['TextMessage']])
  })

  it('rejects the response with the reason of the signal', async () => {
    const { agent, executor } = solver([program('hang')])
    const stop = new AbortController()
    const answering = agent.onMessages([], { signal: stop.signal })
    await expect.poll(() => executor.running.count).toBe(1)
    stop.abort(new Error('enough'))
    await expect(answering).rejects.toThrow('enough')
    expect(executor.running.count).toBe(0)
  })
})
