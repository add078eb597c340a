import type { CodeBlock } from '@fenced/markdown'
import { describe, expect, test } from 'vitest'
import type { ExecuteOptions } from '../../code-executor.ts'
import { blocks, fakeExecutor, ok } from '../fake-driver.fixture.ts'

describe('misuse rejects with a FencedError that says where', () => {
  test('for blocks and options of a wrong kind', ({ everyRow }) =>
    everyRow<[what: string, given: unknown, options: unknown, option: string]>(
      [
        ['no blocks', undefined, {}, ''],
        ['a string instead of blocks', 'print(7)', {}, ''],
        ['one block instead of an array', { language: 'python', code: '' }, {}, ''],
        ['a block without code', [{ language: 'python' }], {}, '0.code'],
        ['a block without a language', [...blocks('ok'), { code: '' }], {}, '1.language'],
        ['null for a block', [null], {}, '0'],
        ['a number for code', [{ language: 'python', code: 7 }], {}, '0.code'],
        ['options that are null', [], null, ''],
        ['an option with a wrong name', [], { timeout: 3 }, 'timeout'],
        ['a time limit of 0', [], { timeoutMs: 0 }, 'timeoutMs'],
        ['a negative time limit', [], { timeoutMs: -1 }, 'timeoutMs'],
        ['no number', [], { timeoutMs: Number.NaN }, 'timeoutMs'],
        ['an infinite time limit', [], { timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs'],
        ['half a millisecond', [], { timeoutMs: 1.5 }, 'timeoutMs'],
        ['more than a timer can wait', [], { timeoutMs: 2 ** 31 }, 'timeoutMs'],
        ['a tool that is none', [], { tools: { a: 1 } }, 'tools.a'],
        [
          'a tool with a name that no program can use',
          [],
          { tools: Object.fromEntries([['__proto__', () => 1]]) },
          'tools.__proto__',
        ],
        ['a controller instead of its signal', [], { signal: new AbortController() }, 'signal'],
      ],
      async (_, given, options, option) => {
        const { executor, steps } = fakeExecutor()
        const execution = executor.execute(given as CodeBlock[], options as ExecuteOptions)
        await expect(execution).rejects.toMatchObject({ code: 'INVALID_OPTIONS', data: { option } })
        expect(steps).toEqual([])
      },
    ))

  test('in a loop as well', async () => {
    const { executor } = fakeExecutor()
    const loop = async () => {
      for await (const _ of executor.execute([], { timeoutMs: 0 })) expect.fail('there was an event')
    }
    await expect(loop()).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
  })
})

test.each<[what: string, options: ExecuteOptions]>([
  ['none', {}],
  ['ones that are undefined', { signal: undefined, timeoutMs: undefined } as unknown as ExecuteOptions],
  ['the longest time limit', { timeoutMs: 2 ** 31 - 1 }],
])('options may be: %s', async (_, options) => {
  const { executor } = fakeExecutor()
  expect((await executor.execute(blocks('ok'), options)).status).toBe('ok')
})

test('a block may carry more than we know, and stands in the result as it was given', async () => {
  const { executor } = fakeExecutor()
  const block = { language: 'python', code: 'ok', line: 3, info: 'python', closed: true, mine: { deep: [1] } }
  expect((await executor.execute([block])).blocks[0]?.block).toEqual(block)
})

test('what the caller does with the blocks afterwards changes no run', async () => {
  const { executor, steps } = fakeExecutor({ programs: { other: async () => ok } })
  const given = blocks('hello', 'ok')
  const execution = executor.execute(given)
  for (const block of given) block.code = 'other'
  given.length = 0
  const result = await execution
  expect(steps).toEqual(['start', 'run hello', 'run ok'])
  expect(result.blocks.map(({ block }) => block.code)).toEqual(['hello', 'ok'])
})

test('a signal of another realm is one', async () => {
  const { runInNewContext } = await import('node:vm')
  const foreign = runInNewContext('({ aborted: false, addEventListener() {}, removeEventListener() {} })')
  const { executor } = fakeExecutor()
  expect((await executor.execute(blocks('ok'), { signal: foreign })).status).toBe('ok')
})
