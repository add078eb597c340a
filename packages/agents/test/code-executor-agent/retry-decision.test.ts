import { describe, expect, it } from 'vitest'
import { mockModel, says } from '../../src/model/mock-model.fixture.ts'
import { answers, chunk, fails, ModelServer, type ServerAnswer, sends } from '../model/model-server.ts'
import { decision, ofType, program, solver } from './solving.fixture.ts'

const failing = program('raise ValueError: no data')
const text = (content: string) => answers({ texts: [content] })
const yes = decision(true, 'Read the other file.')

interface Row {
  readonly what: string
  readonly decisions: readonly ServerAnswer[]
  /** Of the notice. */
  readonly data?: object
}

const understood: Row[] = [
  { what: 'in a fence', decisions: [text(`Well:\n\`\`\`json\n${yes}\n\`\`\``)] },
  { what: 'between words', decisions: [text(`I think ${yes} is right.`)] },
  { what: 'with the word true', decisions: [text(decision('true', 'Read the other file.'))] },
  { what: 'in the second answer', decisions: [text('Yes, try again.'), text(yes)] },
  { what: 'after a part of one', decisions: [text('{"retry": true}'), text(yes)] },
  {
    what: 'from a model without structured output',
    decisions: [fails(400, 'response_format: unknown'), text(yes)],
  },
]

const notUnderstood: Row[] = [
  { what: 'broken JSON', decisions: [text('{"retry": tr'), text('{"retry": tr')] },
  { what: 'another object', decisions: [text('{"again": 1}'), text('[]')] },
  { what: 'words', decisions: [text('Yes.'), text('Yes!')] },
  { what: 'nothing', decisions: [text(''), text('')] },
  {
    what: 'a refusal of the content filter',
    decisions: [answers({ texts: ['I will'], finishReason: 'content_filter' })],
    data: { model: 'small (loopback.chat)', answer: 'I will' },
  },
  { what: 'an answer that breaks off', decisions: [sends([chunk({ content: '{' })], { ending: 'break' })] },
  {
    what: 'a refused request',
    decisions: [fails(403, 'not for you')],
    data: { model: 'small (loopback.chat)', statusCode: '403', reason: 'not for you' },
  },
  {
    what: 'a refusal of anything but words',
    decisions: [fails(400, 'no response_format'), text('Yes.'), text('Yes.')],
  },
]

function agentOf(server: ModelServer) {
  return solver([], { model: server.model('small'), maxRetriesOnError: 1, modelOptions: { maxRetries: 0 } })
}

describe('a decision about a further try', () => {
  it.each(understood)('is understood $what', async ({ decisions }) => {
    await using server = await ModelServer.start(
      ...[text(failing), ...decisions, text(program('say 42')), text('It is 42.')],
    )
    const { agent, executor } = agentOf(server)
    const { message, events, stopReason } = await agent.onMessages([])
    expect([message.content, stopReason]).toEqual(['It is 42.', undefined])
    expect(executor.ran).toHaveLength(2)
    expect(ofType(events, 'code-generated')[1]?.plan?.correction).toBe('Read the other file.')
  })

  it('that is not understood ends the tries with a notice and an answer', ({ everyRow }) =>
    everyRow(notUnderstood, async (row) => {
      const { decisions, data = {} } = row
      await using server = await ModelServer.start(text(failing), ...decisions, text('It did not work.'))
      const { agent, executor } = agentOf(server)
      const { message, events, stopReason } = await agent.onMessages([])
      expect(message.content).toBe('It did not work.')
      expect(executor.ran).toHaveLength(1)
      const [told] = ofType(events, 'notice')
      expect(told?.notice).toMatchObject({ code: 'retry-undecided', data })
      expect(stopReason).toBe(told?.notice.message)
    }))

  it('asks for structured output, and no more after a model has refused it', async () => {
    await using server = await ModelServer.start(
      ...[text(failing), fails(400, 'no response_format'), text(yes), text('Which file?')],
    )
    await agentOf(server).agent.onMessages([])
    expect(server.requests.map(({ body }) => 'response_format' in body)).toEqual([false, true, false, false])
  })

  it('against a further try is a notice, a reason of the result, and known to the reflection', async () => {
    const { agent, prompt } = solver([failing, decision(false, 'There is no file.'), 'It cannot be done.'], {
      maxRetriesOnError: 3,
    })
    const { events, stopReason, status } = await agent.run()
    const [told] = ofType(events, 'notice')
    expect(told?.notice).toMatchObject({ code: 'retry-declined', data: { reason: 'There is no file.' } })
    expect([status, stopReason]).toEqual(['done', told?.notice.message])
    expect(prompt(2).at(-1)).toContain('There is no file.')
  })
})

describe('a model that fails', () => {
  const down = new Error('the provider is down')

  it('at the first program fails the run', async () => {
    const { agent } = solver([], { model: mockModel('one', down) })
    await expect(agent.onMessages([])).rejects.toMatchObject({ code: 'MODEL_FAILED' })
    await expect(agent.run()).rejects.toMatchObject({ code: 'MODEL_FAILED' })
  })

  it.each([
    ['decides', [says(failing), down], ['retry-undecided', 'model-failed'], 'ValueError: no data\n'],
    [
      'writes the second program',
      [says(failing), says(yes), down],
      ['model-failed'],
      'ValueError: no data\n',
    ],
    ['reflects', [says(program('say 42')), down], ['model-failed'], '42\n'],
  ])('when it %s does not take away what has been run', async (_, scripts, codes, content) => {
    const { agent } = solver([], { model: mockModel('one', ...scripts), maxRetriesOnError: 1 })
    const { messages, events, status, stopReason } = await agent.run()
    expect(status).toBe('done')
    expect(messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: expect.stringMatching(`${content}$`),
    })
    const notices = ofType(events, 'notice').map(({ notice }) => notice)
    expect(notices.map(({ code }) => code)).toEqual(codes)
    expect(notices.at(-1)?.data).toEqual({ model: 'one (mock)', reason: 'the provider is down' })
    expect(stopReason).toBe(notices.at(-1)?.message)
  })

  it('has another one step in, whose tokens are counted as its own', async () => {
    const first = mockModel('first', says(failing), down)
    const second = mockModel('second', says(yes), says(program('say 42')), says('It is 42.'))
    const { agent } = solver([], { model: [first, second], maxRetriesOnError: 1 })
    const { message, events } = await agent.onMessages([])
    expect(message.content).toBe('It is 42.')
    const fallbacks = ofType(events, 'model-fallback')
    expect(fallbacks.map(({ nextModelId }) => nextModelId)).toEqual(['second', 'second', 'second'])
    expect(fallbacks[0]?.message).toContain('the provider is down')
    expect(message.metadata?.usage?.byModel).toMatchObject({
      first: { totalTokens: 15 },
      second: { totalTokens: 45 },
    })
  })

  it('leaves no thought behind when another one steps in', async () => {
    const thinks = (delta: string) => [
      { type: 'reasoning-start' as const, id: 'r' },
      { type: 'reasoning-delta' as const, id: 'r', delta },
      { type: 'reasoning-end' as const, id: 'r' },
    ]
    const first = mockModel('first', [...thinks('Wrong.'), { type: 'error', error: down }])
    const second = mockModel('second', [...thinks('Right.'), ...says('It is 42.')])
    const { agent } = solver([], { model: [first, second] })
    const { events } = await agent.onMessages([])
    expect(ofType(events, 'thought').map(({ content }) => content)).toEqual(['Right.'])
  })
})
