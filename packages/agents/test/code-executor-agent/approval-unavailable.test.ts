import { inspect } from 'node:util'
import { type AskAbout, FencedError } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { type ApproveByPersonOptions, approveByPerson } from '../../src/human-input/approve-by-person.ts'
import { noTerminal } from '../../src/human-input/readline-human-input.ts'
import { decision, program, runner, solver } from './solving.fixture.ts'

const gone = new FencedError({ code: 'HUMAN_INPUT_UNAVAILABLE', message: 'nobody is there' })
const never = { ask: () => new Promise<string>(() => {}) }
const byPerson = (options?: ApproveByPersonOptions) => approveByPerson(never, options)

const nobody: [name: string, approve: AskAbout<'code'>, cause: object][] = [
  ['it throws', () => Promise.reject(new Error('no line')), { message: 'no line' }],
  [
    'it throws at once',
    () => {
      throw gone
    },
    { code: 'HUMAN_INPUT_UNAVAILABLE' },
  ],
  [
    'there is no terminal',
    approveByPerson({ ask: () => Promise.reject(noTerminal('coder')) }),
    { code: 'HUMAN_INPUT_UNAVAILABLE', data: { agent: 'coder' } },
  ],
  ['the time is over', byPerson({ timeoutMs: 10 }), { name: 'TimeoutError' }],
]

describe('when nobody could be asked', () => {
  it.each(nobody)('nothing runs, and it is no denial: %s', async (_, code, cause) => {
    const { agent, executor, model } = solver([program('say 1'), decision(true, 'again')], {
      ask: { code },
      maxRetriesOnError: 3,
    })
    const types: string[] = []
    const reading = (async () => {
      for await (const { type } of agent.onMessages([])) types.push(type)
    })()
    await expect(reading).rejects.toMatchObject({
      code: 'APPROVAL_UNAVAILABLE',
      data: { agent: 'coder' },
      cause,
    })
    expect([executor.ran, model.prompts.length]).toEqual([[], 1])
    expect(types.at(-1)).toBe('approval-requested')
  })

  it('the agent can be asked again, and is asked again', async () => {
    let times = 0
    const { agent, executor } = runner({
      ask: {
        code: () => {
          if (times++ === 0) throw gone
          return { decision: 'allow' }
        },
      },
    })
    await expect(agent.run({ task: program('say 1') })).rejects.toMatchObject({ cause: gone })
    await agent.run({ task: program('say 1') })
    expect([times, executor.ran]).toEqual([2, ['say 1']])
  })

  it('the question stays open for the next runs, which do not ask the model for another program', async () => {
    let times = 0
    const { agent, executor, model } = solver([program('say 1'), 'It is 1.'], {
      ask: {
        code: () => {
          if (times++ < 2) throw gone
          return { decision: 'allow' }
        },
      },
    })
    for (const task of ['What is it?', undefined]) {
      await expect(agent.run({ task })).rejects.toMatchObject({ code: 'APPROVAL_UNAVAILABLE' })
      expect([agent.pendingApproval?.kind, executor.ran, model.prompts.length]).toEqual(['code', [], 1])
    }
    expect((await agent.run()).text).toBe('It is 1.')
    expect([times, executor.ran]).toEqual([3, ['say 1']])
  })
})

const circle: { decision: string; self?: unknown } = { decision: 'maybe' }
circle.self = circle

describe('an answer that is none', () => {
  it('is an error, and nothing runs', ({ everyRow }) =>
    everyRow(
      [
        [undefined],
        [null],
        [true],
        ['yes'],
        [{}],
        [{ decision: 'Allow' }],
        [{ decision: 'deny' }],
        [{ decision: 'edit' }],
        [{ decision: 'edit', blocks: [] }],
        [{ decision: 'edit', blocks: [{ code: 'say 2' }] }],
        [{ decision: 'edit', blocks: 'say 2' }],
        [circle],
        [[{ decision: 'allow' }]],
      ],
      async (answer) => {
        const { agent, executor } = runner({ ask: { code: () => answer as never } })
        const asked = agent.run({ task: program('say 1') })
        await expect(asked).rejects.toMatchObject({
          code: 'INVALID_APPROVAL',
          data: { answer: inspect(answer, { depth: 1 }) },
        })
        expect(executor.ran).toEqual([])
      },
    ))
})

describe('a run that is cancelled while somebody is asked', () => {
  const deaf: AskAbout<'code'> = () => new Promise(() => {})
  const listening: AskAbout<'code'> = (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

  it.each([
    ['who hears it', listening],
    ['who does not', deaf],
    ['a person', byPerson()],
    ['a person with a time limit', byPerson({ timeoutMs: 600_000 })],
  ])('ends, asking somebody %s', async (_, approve) => {
    for (const how of ['aborted', 'left']) {
      const { agent, executor } = runner({ ask: { code: approve } })
      const stop = new AbortController()
      const running = agent.run({ task: program('say 1'), signal: stop.signal })
      for await (const item of running) {
        if (item.type !== 'approval-requested') continue
        if (how === 'left') break
        setImmediate(() => stop.abort())
      }
      const { status, events } = await running
      expect([status, events.map(({ type }) => type)]).toEqual([
        'cancelled',
        ['task-start', 'message', 'approval-requested', 'approval-withdrawn'],
      ])
      expect(executor.ran).toEqual([])
    }
  })
})
