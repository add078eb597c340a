import { describe, expect, it } from 'vitest'
import { mockModel, says } from '../../src/model/mock-model.fixture.ts'
import { decision, itemsOf, outline, program, runner, secondTime, solver } from './solving.fixture.ts'

const chunk = 'text-delta'
const output = (attempt: number) => `code ${attempt}`
const generation = (attempt: number) => `code-generated ${attempt}`
const execution = (attempt: number) => `code-end ${attempt}`

const rows: [string, readonly string[], number, string[]][] = [
  ['no program', ['It is 42.'], 0, ['response']],
  ['a good program', [program('say 1'), 'One.'], 0, [generation(0), execution(0), 'response']],
  ['a bad one and no try left', [program('raise Oh'), 'No.'], 0, [generation(0), execution(0), 'response']],
  [
    'a failing one and a good one',
    secondTime,
    1,
    [generation(0), execution(0), `${generation(0)} plan`, generation(1), execution(1), 'response'],
  ],
  [
    'an answer without a program in the second try',
    [program('raise Oh'), decision(true, 'Ask.'), 'Which file?'],
    1,
    [generation(0), execution(0), `${generation(0)} plan`, 'response'],
  ],
  [
    'a model that wants no further try',
    [program('raise Oh'), decision(false, 'There is no file.'), 'It cannot be done.'],
    3,
    [generation(0), execution(0), 'notice', 'response'],
  ],
  [
    'three failing ones, with all tries used up',
    [
      program('raise One'),
      decision(true, 'a'),
      program('raise Two'),
      decision(true, 'b'),
      program('raise Three'),
      'No.',
    ],
    2,
    [
      ...[generation(0), execution(0), `${generation(0)} plan`],
      ...[generation(1), execution(1), `${generation(1)} plan`],
      ...[generation(2), execution(2), 'notice', 'response'],
    ],
  ],
]

/** Neither a piece nor something that happens beside the steps of an answer. */
const isStep = ({ type }: { readonly type: string }) => !['text-delta', 'code', 'usage'].includes(type)

describe('the order of what is told (CE-44)', () => {
  it.each(rows)('is the documented one for %s', async (_, script, maxRetriesOnError, expected) => {
    const { agent } = solver(script, { maxRetriesOnError })
    const items = await itemsOf(agent.onMessages([]))
    expect(outline(items.filter(isStep))).toEqual(['task-start', ...expected])
  })

  it('has pieces of text before what they are pieces of, and pieces of output between program and result', async () => {
    const { agent } = solver(secondTime, { maxRetriesOnError: 1 })
    const items = outline((await itemsOf(agent.onMessages([]))).filter(({ type }) => type !== 'usage'))
    const withoutRepetitions = items.filter((item, index) => item !== items[index - 1])
    expect(withoutRepetitions).toEqual([
      'task-start',
      ...[chunk, generation(0), output(0), execution(0), `${generation(0)} plan`],
      ...[chunk, generation(1), output(1), execution(1)],
      ...[chunk, 'response'],
    ])
  })

  it('has a thought behind the pieces and before the program', async () => {
    const { agent } = solver([], {
      model: mockModel(
        'thinking',
        [
          { type: 'reasoning-start', id: 'r' },
          { type: 'reasoning-delta', id: 'r', delta: 'Let me ' },
          { type: 'reasoning-delta', id: 'r', delta: 'see.' },
          { type: 'reasoning-end', id: 'r' },
          ...says(program('say 1')),
        ],
        says('One.'),
      ),
    })
    const items = await itemsOf(agent.onMessages([]))
    const withoutRepetitions = [...new Set(outline(items))]
    expect(withoutRepetitions.slice(1, 6)).toEqual([
      'reasoning-delta',
      chunk,
      'usage',
      'thought',
      generation(0),
    ])
    expect(items.find(({ type }) => type === 'thought')).toMatchObject({
      content: 'Let me see.',
      agent: 'coder',
    })
  })

  it('says of a further try what LIT-24 says, counted from 1', async () => {
    const { agent } = solver(secondTime, { maxRetriesOnError: 1 })
    const { events } = await agent.onMessages([])
    expect(events.find((event) => 'plan' in event)).toMatchObject({
      type: 'code-generated',
      retryAttempt: 0,
      content: 'Attempt number: 1\nProposed correction: Read the other file.',
      codeBlocks: [],
      plan: {
        cause:
          'The script ran, then exited with an error (POSIX exit code: 1)\nIts output was:\nValueError: no data\n',
        correction: 'Read the other file.',
      },
    })
  })

  it('is one event and the response without a model', async () => {
    const { agent } = runner()
    const items = await itemsOf(agent.run({ task: program('say 1') }))
    expect(outline(items.filter(isStep))).toEqual([
      'task-start',
      'message',
      execution(0),
      'message',
      'task-end',
    ])
  })

  it('begins with the task and ends with message and result in a run', async () => {
    const { agent } = solver(secondTime, { maxRetriesOnError: 1 })
    const items = outline((await itemsOf(agent.run({ task: 'What is it?' }))).filter(isStep))
    expect([...items.slice(0, 2), ...items.slice(-2)]).toEqual([
      'task-start',
      'message',
      'message',
      'task-end',
    ])
  })
})
