import { expect, expectTypeOf, test } from 'vitest'
import { z } from '../zod.ts'
import { defineExecutor } from './define-executor.ts'

const shout = defineExecutor({
  name: 'shout',
  languages: ['sh', { id: 'shout', aliases: [], extension: 'txt', comments: [], kind: 'run' }],
  options: { times: z.int().default(1), apiKey: z.string().optional() },
  secrets: ['apiKey'],
  capabilities: ({ times }) => ({ stateful: times > 1 ? ['shout'] : [] }),
  driver: ({ times, timeoutMs }) => {
    expectTypeOf(times).toEqualTypeOf<number>()
    expectTypeOf(timeoutMs).toEqualTypeOf<number>()
    return {
      async run({ code }, io) {
        await io.write('stdout', Buffer.from(code.toUpperCase().repeat(times)))
        return { exitCode: 0 }
      },
    }
  },
})

test('an executor has its own options, those of every executor, and the defaults of both', async () => {
  await using executor = shout({ times: 2, redact: ['B'] })
  const { output } = await executor.execute([{ language: 'shout', code: 'ab' }])
  expect(output).toBe('A[redacted]A[redacted]')
  expect((await shout().execute([{ language: 'sh', code: 'ab' }])).output).toBe('AB')
})

test('it promises what its definition says, and else what a process of this user can', () => {
  expect(shout({ times: 2 }).capabilities).toEqual({
    languages: ['sh', 'shout'],
    isolation: 'none',
    stateful: ['shout'],
    richOutput: false,
    network: 'open',
    limits: { memory: false, processes: false },
  })
  expect(shout().capabilities.stateful).toEqual([])
})

test('wrong options are refused by name', () => {
  expect(() => shout({ time: 2 } as object)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'time', suggestion: 'times' } }),
  )
})

test('its config has what was given, without the secrets', () => {
  expect(shout({ times: 2, apiKey: 'hunter2' }).toConfig()).toEqual({
    provider: 'shout',
    version: 1,
    config: { times: 2 },
    omitted: ['apiKey'],
  })
})

test('one without options of its own takes those of every executor, and no others', () => {
  const plain = defineExecutor({
    name: 'plain',
    languages: ['sh'],
    driver: () => ({ run: async () => ({ exitCode: 0 }) }),
  })
  expect(plain({ timeoutMs: 5 }).name).toBe('plain')
  // @ts-expect-error: it has none.
  expect(() => plain({ times: 2 })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'times' } }),
  )
})
