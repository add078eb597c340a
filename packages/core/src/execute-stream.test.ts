import { extractCodeBlocks } from '@fenced/markdown'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EchoExecutor } from './approval/echo-executor.fixture.ts'
import { askingExecutor } from './asking-executor.ts'
import { fakeExecutor } from './engine/fake-driver.fixture.ts'
import { executeStream } from './execute-stream.ts'
import type { ExecutionEvent } from './execution.ts'
import { microtasks } from './microtasks.fixture.ts'
import type { CodeResult } from './vocabulary/code-result.ts'

const fence = '```'
const block = (code: string) => `Then:\n\n${fence}python\n${code}\n${fence}\n`

/** Pieces of a text, as a model writes them; what was read, and whether the reader has left. */
class Text implements AsyncIterable<string> {
  readonly given: string[] = []
  hasLeft = false
  readonly #pieces: ReadonlyArray<string | Error | Promise<unknown>>

  constructor(...pieces: ReadonlyArray<string | Error | Promise<unknown>>) {
    this.#pieces = pieces
  }

  async *[Symbol.asyncIterator]() {
    try {
      for (const piece of this.#pieces) {
        if (piece instanceof Error) throw piece
        if (typeof piece !== 'string') {
          await piece
          continue
        }
        this.given.push(piece)
        yield piece
      }
    } finally {
      this.hasLeft = true
    }
  }
}

async function eventsOf(events: AsyncIterable<ExecutionEvent>): Promise<ExecutionEvent[]> {
  const all: ExecutionEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

function withoutTimes(result: CodeResult): unknown {
  const timeless = (value: object) => JSON.parse(JSON.stringify({ ...value, queuedMs: 0, durationMs: 0 }))
  return { ...timeless(result), blocks: result.blocks.map(timeless) }
}

const never = new Promise(() => {})

describe('executeStream', () => {
  it('gives what one call with all blocks gives, however the text is cut', async () => {
    const answer = `${block('one')}${block('two')}${fence}json\n{}\n${fence}\n${block('three')}`
    const expected = await new EchoExecutor().execute([
      { language: 'python', code: 'one', line: 3, info: 'python', closed: true },
      { language: 'python', code: 'two', line: 8, info: 'python', closed: true },
      { language: 'json', code: '{}', line: 11, info: 'json', closed: true },
      { language: 'python', code: 'three', line: 16, info: 'python', closed: true },
    ])
    for (const size of [1, 7, answer.length]) {
      const pieces = answer.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const executor = new EchoExecutor()
      const result = await executeStream(executor, new Text(...pieces))
      expect(withoutTimes(result)).toEqual(withoutTimes(expected))
    }
  })

  it('gives the result of one call with all blocks, for any answer', async () => {
    const parts = [
      block('one'),
      block('two'),
      block('fail'),
      `${fence}json\n{}\n${fence}`,
      `${fence}rust\nfn main() {}\n${fence}`,
      `${fence}javascript\n1\n${fence}`,
      `${fence}\nInstall it first\n${fence}`,
      `${fence}python\nprint(`,
      `${fence}sql\nSELECT 1\n${fence}<end>`,
      '<think>',
      '</think>',
      '(eg. <think></think>)',
      'words',
    ]
    const answers = fc.array(fc.constantFrom(...parts), { maxLength: 8 })
    const property = fc.asyncProperty(answers, fc.boolean(), async (lines, startsInReasoning) => {
      const answer = lines.join('\n')
      const whole = new EchoExecutor()
      const expected = await whole.execute(extractCodeBlocks(answer, { startsInReasoning }))
      const executor = new EchoExecutor()
      const result = await executeStream(executor, new Text(...answer), { startsInReasoning })
      expect(executor.ran).toEqual(whole.ran)
      expect(withoutTimes(result)).toEqual(withoutTimes(expected))
    })
    await fc.assert(property, { numRuns: 300 })
  })

  it('hides secrets of which each block prints a part, as one call with all blocks does', async () => {
    const printer = () => {
      const { executor } = fakeExecutor({
        options: { redact: ['hunter2', 'ter'] },
        programs: Object.fromEntries(
          words.map((word) => [
            word,
            async (io) => {
              await io.write(word.length > 3 ? 'stderr' : 'stdout', Buffer.from(word))
              return { exitCode: word === 'fails' ? 1 : 0 }
            },
          ]),
        ),
      })
      return executor
    }
    const words = ['hunter2', 'hunt', 'hun', 'h', 'unt', 'er2', 'te', 'r', '2', 'fails']
    const property = fc.asyncProperty(fc.array(fc.constantFrom(...words), { maxLength: 6 }), async (said) => {
      const answer = said.map((word) => `${fence}python\n${word}\n${fence}\n`).join('\n')
      const expected = await printer().execute(extractCodeBlocks(answer))
      const result = await executeStream(printer(), new Text(answer))
      expect(withoutTimes(result)).toEqual(withoutTimes(expected))
      expect(result.output).not.toContain('hunter2')
    })
    await fc.assert(property, { examples: [[['hunt', 'er2']]] })
  })

  it('names each block that was not run before the error that follows from it', async () => {
    const answer = `${fence}\nInstall it first\n${fence}\n${fence}rust\nfn\n${fence}\n${block('fail')}`
    const { status, output, blocks } = await executeStream(new EchoExecutor(), new Text(answer))
    expect(status).toBe('error')
    expect(blocks.map((each) => each.notices.map(({ code, data }) => [code, data?.line]))).toEqual([
      [['no-language', '1']],
      [['unknown-language', '4']],
      [],
    ])
    const messages = blocks.flatMap(({ notices }) => notices.map(({ message }) => message))
    expect(output).toBe(`${messages.join('\n')}\nfail\n`)
  })

  it('is invalid where nothing is run and a language is not known', async () => {
    const answer = `${fence}rust\nfn\n${fence}\n${fence}json\n{}\n${fence}`
    const result = await executeStream(new EchoExecutor(), new Text(answer))
    expect(result).toMatchObject({ status: 'invalid', exitCode: 127 })
    const both = await executeStream(new EchoExecutor(), new Text(answer, `\n${block('one')}`))
    expect(both).toMatchObject({ status: 'ok', exitCode: 0 })
  })

  it('numbers the events through all blocks, and ends with one result', async () => {
    const execution = executeStream(new EchoExecutor(), new Text(block('one'), block('two')))
    const events = await eventsOf(execution)
    expect(events.map((event) => [event.type, 'index' in event ? event.index : undefined])).toEqual([
      ['block-start', 0],
      ['stdout', 0],
      ['block-end', 0],
      ['block-start', 1],
      ['stdout', 1],
      ['block-end', 1],
      ['execution-end', undefined],
    ])
    expect(events.at(-1)).toEqual({ type: 'execution-end', result: await execution })
  })

  it('gives a reader that comes late all events from the first one', async () => {
    const execution = executeStream(new EchoExecutor(), new Text(block('one'), block('two')))
    await execution
    expect(await eventsOf(execution)).toHaveLength(7)
  })

  it('runs a block while the text behind it is still being written', async () => {
    const executor = new EchoExecutor()
    const { promise, resolve } = Promise.withResolvers<void>()
    const execution = executeStream(executor, new Text(block('one'), promise, block('two')))
    await microtasks()
    expect(executor.ran).toEqual(['one'])
    resolve()
    await execution
    expect(executor.ran).toEqual(['one', 'two'])
  })

  it('stops at the first block that fails, and gives the text up', async () => {
    const executor = new EchoExecutor()
    const text = new Text(block('one'), block('fail'), block('two'), never)
    const result = await executeStream(executor, text)
    expect(result).toMatchObject({ status: 'error', exitCode: 3, output: 'one\nfail\n' })
    expect(result.blocks.map(({ status }) => status)).toEqual(['ok', 'error'])
    expect(executor.ran).toEqual(['one', 'fail'])
    expect(text.given).toHaveLength(2)
    await microtasks()
    expect(text.hasLeft).toBe(true)
  })

  it('does not run a block that was cut off', async () => {
    const executor = new EchoExecutor()
    const result = await executeStream(executor, new Text(block('one'), `${fence}python\nprint(`))
    expect(result.blocks.map(({ status }) => status)).toEqual(['ok', 'invalid'])
    expect(executor.ran).toEqual(['one'])
  })

  it('starts the executor at the first fence, and not for a text without one', async () => {
    let starts = 0
    class Counting extends EchoExecutor {
      override async start(...options: Parameters<EchoExecutor['start']>): Promise<void> {
        starts++
        await super.start(...options)
      }
    }
    const empty = await executeStream(new Counting(), new Text('No code ', 'at all. `x`\n'))
    expect(empty).toMatchObject({ status: 'ok', exitCode: 0, output: '', blocks: [], files: [] })
    expect(starts).toBe(0)
    const left = new AbortController()
    const execution = executeStream(new Counting(), new Text('So:\n\n``', '`python\npri', never), left)
    await microtasks()
    expect(starts).toBe(1)
    left.abort()
    expect((await execution).status).toBe('cancelled')
  })

  it('is cancelled between two blocks, while one runs, and before the first', async () => {
    for (const [pieces, ran] of [
      [[block('one'), never], ['one']],
      [
        [block('one'), block('hang'), never],
        ['one', 'hang'],
      ],
      [[never], []],
    ] as const) {
      const executor = new EchoExecutor()
      const text = new Text(...pieces)
      const controller = new AbortController()
      const execution = executeStream(executor, text, { signal: controller.signal })
      await microtasks()
      expect(executor.ran).toEqual(ran)
      controller.abort()
      expect(await execution).toMatchObject({ status: 'cancelled' })
    }
    const aborted = AbortSignal.abort()
    const text = new Text(block('one'))
    expect(await executeStream(new EchoExecutor(), text, { signal: aborted })).toMatchObject({
      status: 'cancelled',
      output: 'Cancelled: nothing was run, because the caller asked to stop before it began.\n',
    })
    expect(text.given).toEqual([])
  })

  it('is cancelled with its executor while no text comes, before the first block and between two', async () => {
    for (const end of ['stop', 'restart'] as const) {
      for (const pieces of [[never], [block('one'), never]]) {
        const inner = new EchoExecutor()
        for (const executor of [inner, askingExecutor(inner, () => 'allow')]) {
          await executor.start()
          const execution = executeStream(executor, new Text(...pieces))
          await microtasks()
          await inner[end]()
          expect(await execution).toMatchObject({ status: 'cancelled' })
        }
      }
    }
  })

  it('is cancelled by a reader of its events that leaves', async () => {
    const executor = new EchoExecutor()
    const execution = executeStream(executor, new Text(block('hang'), never))
    for await (const { type } of execution) if (type === 'block-start') break
    expect((await execution).status).toBe('cancelled')
  })

  it('rejects with what reading the text throws, to those who wait and those who read', async () => {
    const problem = new Error('The model went away.')
    const text = () => new Text(block('one'), problem)
    await expect(executeStream(new EchoExecutor(), text())).rejects.toBe(problem)
    await expect(eventsOf(executeStream(new EchoExecutor(), text()))).rejects.toBe(problem)
  })

  it('rejects with what the executor rejects with', async () => {
    const executor = new EchoExecutor()
    await executor.stop()
    const stopped = { code: 'EXECUTOR_STOPPED' }
    await executor.start()
    await executor.stop()
    await expect(executeStream(executor, new Text(block('one')))).rejects.toMatchObject(stopped)
    await expect(eventsOf(executeStream(executor, new Text(block('one'))))).rejects.toMatchObject(stopped)
  })

  it('leaves drafts in reasoning out, also where the text begins in it', async () => {
    const executor = new EchoExecutor()
    await executeStream(executor, new Text(`<think>\n${block('draft')}</think>\n`, block('one')))
    await executeStream(executor, new Text(`${block('draft')}</think>\n`, block('two')), {
      startsInReasoning: true,
    })
    expect(executor.ran).toEqual(['one', 'two'])
  })

  it('asks about each block before it is run', async () => {
    const inner = new EchoExecutor()
    const asked: string[] = []
    const executor = askingExecutor(inner, {
      code: ({ blocks }) => {
        asked.push(blocks.map(({ code }) => code).join())
        return asked.length < 2 ? 'allow' : { decision: 'deny', reason: 'Not this one.' }
      },
    })
    const result = await executeStream(executor, new Text(block('one'), block('two'), block('three')))
    expect(result.status).toBe('denied')
    expect(asked).toEqual(['one', 'two'])
    expect(inner.ran).toEqual(['one'])
  })
})
