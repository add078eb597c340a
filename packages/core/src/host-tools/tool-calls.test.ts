import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { fakeExecutor, type Program } from '../engine/fake-driver.fixture.ts'
import type { HostToolOptions } from '../vocabulary/host-tool.ts'
import { z } from '../zod.ts'

interface Answer {
  readonly id: unknown
  readonly output?: unknown
  readonly error?: { readonly kind: string; readonly message: string }
}

/** What a program gets that sends these messages, one after the other, and the calls in the result of its block. */
async function answersTo(messages: readonly string[], options: HostToolOptions) {
  const answers: Answer[] = []
  const calling: Program = async ({ tools }) => {
    for (const message of messages) answers.push(JSON.parse((await tools?.answer(message)) ?? ''))
    return { exitCode: 0 }
  }
  await using executor = fakeExecutor({
    programs: { calling },
    capabilities: { toolLanguages: ['python'] },
    options: { redact: ['top-secret'] },
  }).executor
  const { status, blocks } = await executor.execute([{ language: 'python', code: 'calling' }], options)
  expect(status).toBe('ok')
  return { answers, calls: blocks[0]?.toolCalls ?? [] }
}

const strict = { inputSchema: z.strictObject({ a: z.number() }), execute: ({ a }: { a: number }) => a }

it('a call with a number that JSON cannot carry is refused, is in the result, and does not stay in flight', async () => {
  const tooLarge = (id: string) => `{"id":${id},"tool":"echo","input":{"a":[1e400]}}`
  const { answers, calls } = await answersTo(
    [...['1', '2', '3', '1e400'].map(tooLarge), '{"id":4,"tool":"echo","input":{"a":1}}'],
    { tools: { echo: (input: unknown) => input }, toolLimits: { maxCallsInFlight: 1 } },
  )
  const error = { kind: 'refused', message: 'wrong arguments: Infinity is not JSON' }
  expect(answers).toEqual([...[1, 2, 3, null].map((id) => ({ id, error })), { id: 4, output: { a: 1 } }])
  expect(calls).toMatchObject([{ error }, { error }, { error }, { error }, { input: { a: 1 } }])
  expect(calls[0]).not.toHaveProperty('input')
})

it('a function is no result, and is refused as such', async () => {
  const message = 'a function is not JSON'
  const { answers } = await answersTo(['{"id":1,"tool":"make"}'], { tools: { make: () => () => 1 } })
  expect(answers).toEqual([{ id: 1, error: { kind: 'failed', message } }])
})

it('the error of a call is shortened for the program, and in the result, behind secrets', async () => {
  const long = 'x'.repeat(1_000_000)
  const fail = () => {
    throw new Error(`${'x'.repeat(8_187)}top-secret${long}`)
  }
  const { answers, calls } = await answersTo(
    [
      ...Array.from({ length: 50 }, () => `{"id":1,"tool":"strict","input":{"${long}":1}}`),
      '{"id":2,"tool":"fail"}',
      `{"id":3,"tool":"${long}"}`,
    ],
    { tools: { strict, fail } },
  )
  for (const { error } of answers) expect(error?.message.length).toBeLessThan(9_000)
  expect(calls).toHaveLength(51)
  expect(JSON.stringify(calls).length).toBeLessThan(51 * 14_000)
  expect(calls.at(-1)?.error?.message).toContain('[reda…')
  expect(calls.at(-1)?.error?.message).not.toContain('top')
})

it('all errors of a block together are bounded, however many calls it may make', async () => {
  const message = `{"id":1,"tool":"strict","input":{"${'x'.repeat(8_192)}":1}}`
  const { calls } = await answersTo(
    Array.from({ length: 3_000 }, () => message),
    { tools: { strict }, toolLimits: { maxCalls: 3_000 } },
  )
  expect(calls).toHaveLength(3_000)
  expect(JSON.stringify(calls).length).toBeLessThan(10 * 2 ** 20)
})

it('long arguments and results are kept as their beginning, length and hash, behind secrets', async () => {
  const body = `top-secret${' '.repeat(70_000)}`
  const message = JSON.stringify({ id: 1, tool: 'send', input: { to: 'mallory', body } })
  const { calls } = await answersTo([message], { tools: { send: (input: unknown) => input } })
  const shown = JSON.stringify({ to: 'mallory', body: body.replace('top-secret', '[redacted]') })
  const short = {
    start: shown.slice(0, 4_096),
    length: shown.length,
    sha256: createHash('sha256').update(shown).digest('hex'),
  }
  expect(calls).toMatchObject([{ tool: 'send', shortenedInput: short, shortenedOutput: short }])
})

it('a call for which there is no more room is in the result, too', async () => {
  const message = JSON.stringify({ id: 1, tool: 'send', input: { body: 'x'.repeat(60_000) } })
  const { calls } = await answersTo(
    Array.from({ length: 400 }, () => message),
    { tools: { send: () => true } },
  )
  expect(calls).toHaveLength(400)
  expect(calls[0]).toMatchObject({ input: { body: expect.stringMatching(/^x{60000}$/) } })
  expect(calls.at(-1)?.shortenedInput).toMatchObject({
    start: expect.stringMatching(/^\{"body":"x+$/),
    length: 60_011,
  })
  expect(JSON.stringify(calls).length).toBeLessThan(10 * 2 ** 20)
})

it('an integer that JavaScript cannot hold is refused in both directions, and never becomes another one', async () => {
  const given = '{"id":1,"tool":"echo","input":{"id":9007199254740993}}'
  const { answers } = await answersTo([given, '{"id":2,"tool":"long"}', '{"id":3,"tool":"short"}'], {
    tools: { echo: (input: unknown) => input, long: () => 2n ** 64n, short: () => 7n },
  })
  expect(answers).toMatchObject([
    {
      id: 1,
      error: {
        kind: 'refused',
        message: expect.stringContaining('9007199254740993 is an integer beyond 2^53'),
      },
    },
    {
      id: 2,
      error: {
        kind: 'failed',
        message: expect.stringContaining('18446744073709551616 is an integer beyond'),
      },
    },
    { id: 3, output: 7 },
  ])
})
