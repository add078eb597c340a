import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collect } from '../../src/engine/collect.fixture.ts'
import type { BlockIo } from '../../src/engine/driver.ts'
import {
  blocks,
  type FakeOptions,
  fakeExecutor,
  ok,
  type Program,
} from '../../src/engine/fake-driver.fixture.ts'
import { type ToolOutput, toolOutputSchema } from '../../src/tool/tool-output.ts'
import { OutputTail, type ToolOutputsOptions, toolOutputs } from '../../src/tool/tool-outputs.ts'

/** Waits until the reader has been shown a text. */
type Shown = (text: string) => Promise<void>

type WaitingProgram = (io: BlockIo, shown: Shown) => ReturnType<Program>

const says =
  (...chunks: string[]): WaitingProgram =>
  async (io, shown) => {
    for (const chunk of chunks) {
      await io.write('stdout', Buffer.from(chunk))
      await shown(chunk)
    }
    return ok
  }

async function outputsOf(
  program: WaitingProgram,
  options: ToolOutputsOptions = {},
  fake: (shown: Shown) => FakeOptions = () => ({}),
) {
  const outputs: ToolOutput[] = []
  const shown = async (text: string) => {
    const has = ({ output, progress = '' }: ToolOutput) => `${progress}${output}`.includes(text)
    while (!outputs.some(has)) await new Promise(setImmediate)
  }
  const { executor } = fakeExecutor({ ...fake(shown), programs: { program: (io) => program(io, shown) } })
  for await (const output of toolOutputs(executor.execute(blocks('program')), options)) outputs.push(output)
  for (const output of outputs)
    expect(toolOutputSchema().parse(JSON.parse(JSON.stringify(output)))).toEqual(output)
  return { last: outputs.at(-1), preliminary: outputs.slice(0, -1) }
}

test('what is printed is shown as it comes, and the last one has all of it', async () => {
  const { last, preliminary } = await outputsOf(says('one\n', 'two\n'), { intervalMs: 0 })
  expect(preliminary.map(({ output }) => output)).toEqual(['one\n', 'one\ntwo\n'])
  expect(preliminary[0]).toEqual({
    status: 'running',
    success: false,
    output: 'one\n',
    droppedBytes: 0,
    files: [],
    notices: [],
  })
  expect(last).toEqual({
    status: 'ok',
    success: true,
    exitCode: 0,
    output: 'one\ntwo\n',
    droppedBytes: 0,
    files: [],
    notices: [],
    durationMs: expect.any(Number),
  })
})

test('what was printed before a long silence is shown during it', async () => {
  const isShown = Promise.withResolvers<void>()
  const { executor } = fakeExecutor({
    programs: {
      silent: async (io) => {
        await io.write('stdout', Buffer.from('one\n'))
        await isShown.promise
        await io.write('stdout', Buffer.from('two\n'))
        await new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve()))
        return ok
      },
    },
  })
  for await (const { output } of toolOutputs(executor.execute(blocks('silent')))) {
    if (output === 'one\n') isShown.resolve()
    if (output === 'one\ntwo\n') break
  }
})

test('a program that says much says it seldom, and only the end of it', async () => {
  const line = `${'x'.repeat(999)}\n`
  const flood: WaitingProgram = async (io) => {
    for (let count = 0; count < 10_000; count++) await io.write('stdout', Buffer.from(line))
    return ok
  }
  const { last, preliminary } = await outputsOf(flood, { maxPreliminaryLength: 2_000 }, () => ({
    options: { maxOutputBytes: 20_000_000 },
  }))
  expect(last?.output).toHaveLength(10_000_000)
  for (const { output } of preliminary) expect(output.length).toBeLessThan(2_100)
  expect(preliminary.length).toBeLessThan(100)
})

test('nothing is shown when there is nothing new', async () => {
  const { preliminary } = await outputsOf(
    async () => {
      await sleep(50)
      return ok
    },
    { intervalMs: 1 },
  )
  expect(preliminary).toEqual([])
})

test('output that is taken back is gone, and results are shown as text', async () => {
  const { preliminary, last } = await outputsOf(
    async (io, shown) => {
      await io.write('stdout', Buffer.from('10 %'))
      await shown('10 %')
      io.clear()
      await io.write('stdout', Buffer.from('20 %'))
      io.result({ 'text/plain': 'a table' })
      io.result({ 'image/png': 'aGk=' })
      await shown('a table')
      return ok
    },
    { intervalMs: 0 },
  )
  expect(preliminary[0]?.output).toBe('10 %')
  expect(preliminary.at(-1)?.output).toBe('20 %\na table\n')
  expect(last?.output).toContain('20 %\na table\n')
})

test('how the start goes is shown until something is printed', async () => {
  const { preliminary } = await outputsOf(says('x'), { intervalMs: 0 }, (shown) => ({
    start: async ({ notice }) => {
      notice({ code: 'pull', message: 'Pulling an image' })
      await shown('Pulling an image')
    },
  }))
  expect(preliminary.map(({ progress, output }) => [progress, output])).toEqual([
    ['Pulling an image', ''],
    [undefined, 'x'],
  ])
})

test.each<[what: string, program: WaitingProgram, output: Partial<ToolOutput>]>([
  [
    'a traceback',
    async (io) => {
      await io.write('stderr', Buffer.from('Traceback\n  line 1\nValueError: bad\n'))
      await io.write('stdout', Buffer.from('printed\n'))
      return { exitCode: 3 }
    },
    { status: 'error', exitCode: 3, error: 'ValueError: bad' },
  ],
  ['nothing at all', async () => ({ exitCode: 3 }), { error: 'The program ended with exit code 3.' }],
  [
    'a package that is missing',
    async (io) => {
      await io.write('stderr', Buffer.from("ModuleNotFoundError: No module named 'rich'\n"))
      return { exitCode: 1 }
    },
    {
      error: "ModuleNotFoundError: No module named 'rich'",
      notices: [
        expect.objectContaining({
          code: 'missing-package',
          data: { module: 'rich', distribution: 'rich' },
        }),
      ],
    },
  ],
])('a program that ends with %s says why', async (_, program, output) => {
  const { last } = await outputsOf(program)
  expect(last).toMatchObject({ success: false, ...output })
})

test('a program that ends with a time limit says why', async () => {
  const slow: WaitingProgram = async (io) => {
    await io.write('stdout', Buffer.from('half\n'))
    await sleep(60_000, undefined, { signal: io.signal })
    return ok
  }
  const { last } = await outputsOf(slow, {}, () => ({ options: { timeoutMs: 300 } }))
  const notices = [{ code: 'timeout', data: { limitMs: '300' } }]
  expect(last).toMatchObject({ status: 'timeout', success: false, exitCode: 124, notices })
  expect(last?.error).toBe(last?.notices[0]?.message)
  expect(last?.output).toBe(`half\n${last?.error}\n`)
})

test('leaving it early cancels the program', async () => {
  const { executor } = fakeExecutor({
    programs: {
      prints: async (io) => {
        await io.write('stdout', Buffer.from('x'))
        await new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve()))
        return ok
      },
    },
  })
  const execution = executor.execute(blocks('prints'))
  for await (const _ of toolOutputs(execution)) break
  expect((await execution).status).toBe('cancelled')
})

test('an aborted program has an output as every other', async () => {
  const controller = new AbortController()
  const { executor } = fakeExecutor()
  const execution = executor.execute(blocks('endless'), { signal: controller.signal })
  const outputs = collect(toolOutputs(execution))
  controller.abort()
  expect(await outputs).toMatchObject([{ status: 'cancelled', exitCode: 125, success: false }])
})

test('a driver at fault is an error', async () => {
  const { executor } = fakeExecutor()
  await expect(collect(toolOutputs(executor.execute(blocks('throwing'))))).rejects.toMatchObject({
    code: 'DRIVER_FAILED',
  })
})

function tailOf(...chunks: string[]) {
  const tail = new OutputTail(4)
  for (const chunk of chunks) tail.add(chunk)
  return tail
}

test('all that fits is there', () => {
  expect(tailOf().text).toBe('')
  expect(tailOf('ab', 'cd').text).toBe('abcd')
})

test('of more it is the end, and how much came before', () => {
  expect(tailOf('abcdef').text).toBe('[... 2 characters before this ...]\ncdef')
  expect(tailOf('ab', 'cdefgh', 'ij', 'klmn').text).toBe('[... 10 characters before this ...]\nklmn')
})

test('a block’s part can be forgotten, and what came before it not', () => {
  const tail = tailOf('ab')
  tail.startBlock()
  tail.add('cdefghijklmnop')
  tail.clear()
  expect(tail.text).toBe('ab')
  tail.add('c')
  expect(tail.text).toBe('abc')
})

test('a line begins on a line of its own', () => {
  const tail = tailOf('a')
  tail.addLine('b')
  expect(tail.text).toBe('a\nb\n')
})

test('it says the same however the text is cut, over any blocks', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 })), (texts) => {
      const [whole, inBlocks] = [new OutputTail(4), new OutputTail(4)]
      whole.add(texts.join(''))
      for (const text of texts) {
        inBlocks.startBlock()
        for (const character of text) inBlocks.add(character)
      }
      expect(inBlocks.text).toBe(whole.text)
    }),
  )
})
