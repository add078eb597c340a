import { APICallError } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ModelEvent } from '../../src/event.ts'
import { finish, mockModel, type Script, says, speaks } from '../../src/model/mock-model.fixture.ts'
import { ModelClient } from '../../src/model/model-client.ts'
import { unwantedEffectsOf } from './unwanted-effects.fixture.ts'

const schema = z.object({ retry: z.boolean(), reason: z.string() })
const object = { retry: true, reason: 'a typo' }
const json = JSON.stringify(object)
const refused = new APICallError({
  message: 'response_format is not supported',
  url: 'http://localhost/',
  requestBodyValues: {},
  statusCode: 400,
})

async function ask(...models: ReturnType<typeof mockModel>[]) {
  const events: ModelEvent[] = []
  const client = new ModelClient({ model: models, modelOptions: { maxRetries: 0 } })
  const request = {
    instructions: 'Decide.',
    messages: [{ role: 'user', content: 'It failed.' }],
    schema,
    schemaName: 'decision',
  } as const
  let outcome: { reply?: { object: { retry: boolean } } & object; error?: unknown } = {}
  const effects = await unwantedEffectsOf(async () => {
    outcome = await client.askObject(request, { onEvent: (event) => void events.push(event) }).then(
      (reply) => ({ reply }),
      (error: unknown) => ({ error }),
    )
  })
  expect(effects).toEqual([])
  return { events, ...outcome }
}

describe('an object', () => {
  it.each([
    ['alone', json],
    ['with space around it', `\n ${JSON.stringify(object, undefined, 2)}\n`],
    ['in a fence', `Here it is:\n\n\`\`\`json\n${json}\n\`\`\`\n\nDone.`],
    ['between words', `I think {so}: ${json} as you see.`],
    [
      'behind a thought with a draft',
      `Perhaps ${JSON.stringify({ ...object, retry: false })}\n</think>\n${json}`,
    ],
    ['after another object', `{"a": [1]} and then ${json}`],
    ['with brackets in a string', `It is ${JSON.stringify({ ...object, reason: '}]" {' })}.`],
    ['with raw line breaks', '{"retry": true, "reason": "a\n\ttypo"}'],
  ])('is found %s', async (_, text) => {
    const model = mockModel('m', says(text))
    const { reply } = await ask(model)
    expect(reply).toMatchObject({ object: { retry: true }, modelId: 'm', usage: { totalTokens: 15 } })
    expect(model.doStreamCalls).toHaveLength(1)
  })

  it('is asked for by response format and in the instructions, and its text is not told', async () => {
    const model = mockModel('m', says(json))
    const { events } = await ask(model)
    expect(model.doStreamCalls[0]).toMatchObject({
      responseFormat: { type: 'json', name: 'decision', schema: { type: 'object' } },
      prompt: [
        {
          role: 'system',
          content: expect.stringMatching(/^Decide\.\n\nAnswer with one JSON value .*"retry"/s),
        },
        { role: 'user' },
      ],
    })
    expect(events.map(({ type }) => type)).toEqual(['usage'])
  })

  it('is asked for without a format when the model refuses it', async () => {
    const model = mockModel('m', refused, says('No.'), says(`Sure: ${json}`))
    expect((await ask(model)).reply).toMatchObject({ object })
    const formats = model.doStreamCalls.map(({ responseFormat }) => responseFormat?.type)
    expect(formats).toEqual(['json', undefined, undefined])
  })

  it.each([
    ['There is none.', 'there is no JSON in it'],
    ['{"retry": "yes"}', 'it does not fit the schema: retry: '],
    ['', 'there is no JSON in it'],
  ])('is asked for once more after %j', async (text, reason) => {
    const model = mockModel('m', says(text), says(json))
    expect((await ask(model)).reply).toMatchObject({
      object,
      usage: { totalTokens: 30, byModel: { m: { totalTokens: 30 } } },
    })
    const last = model.doStreamCalls[1]?.prompt.at(-1)
    expect(JSON.stringify(last)).toContain(reason)
  })

  const cases: readonly (readonly [string, Script[]])[] = [
    ['two answers without one', [says('No.'), says('No!')]],
    ['a refused format and two answers without one', [refused, says('No.')]],
    ['an error after an answer without one', [says('No.'), new Error('It broke.')]],
    ['an error', [new Error('It broke.')]],
  ]

  it.each(cases)('comes from the next model after %s', async (_, scripts) => {
    const { events, reply } = await ask(mockModel('first', ...scripts), mockModel('second', says(json)))
    expect(reply).toMatchObject({ object, modelId: 'second' })
    expect(events.filter(({ type }) => type === 'model-fallback')).toHaveLength(1)
  })

  it('that no model gave is an error with the shape that was wanted, where the first answer had another shape', async () => {
    const { error } = await ask(mockModel('first', says('{"retry": true, "plan": "x"}'), says('I would.')))
    expect(error).toMatchObject({
      code: 'MODEL_GAVE_NO_OBJECT',
      cause: { data: { firstReason: expect.stringContaining('reason: '), properties: 'retry, reason' } },
    })
  })

  it('that no model gave is an error of its own', async () => {
    const { error } = await ask(mockModel('first', new Error('It broke.')), mockModel('second', says('No.')))
    expect(error).toMatchObject({
      code: 'MODEL_GAVE_NO_OBJECT',
      data: { model: 'first (mock), second (mock)' },
    })
  })

  it('from models that all failed is an error as ever', async () => {
    expect((await ask(mockModel('first', new Error('It broke.')))).error).toMatchObject({
      code: 'MODEL_FAILED',
    })
  })

  it('that a filter stopped is a refusal at once', async () => {
    const second = mockModel('second', says(json))
    const { error } = await ask(
      mockModel('first', [...speaks('{'), finish({ reason: 'content-filter' })]),
      second,
    )
    expect(error).toMatchObject({ code: 'MODEL_REFUSED' })
    expect(second.doStreamCalls).toHaveLength(0)
  })

  it('is looked for in bounded time', async () => {
    expect((await ask(mockModel('m', says('{['.repeat(100_000))))).error).toMatchObject({
      code: 'MODEL_GAVE_NO_OBJECT',
    })
  })
})
