import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import type { TaskResult } from '@fenced/agents'
import type { EventInit } from '@fenced/agents/testing'
import {
  type AskAbout,
  askingExecutor,
  type BlockResult,
  type CodeBlock,
  type ExecutionEvent,
  type OutputFile,
} from '@fenced/core'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import { EchoExecutor } from '../../../agents/src/reply/echo-executor.fixture.ts'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import { codeRun, eventOf, type Told, text } from '../../../agents/src/termination/watch.fixture.ts'
import { chatEnd, chatStart, codeEnd, fibonacci, said } from '../../src/console/conversation.fixture.ts'
import { type ShowRunOptions, showRun } from '../../src/show-run/show-run.ts'

const executor = 'code_executor'
const writer = 'code_writer'
const python = (code: string) => `\`\`\`python\n${code}\n\`\`\``
const block = (code: string, language = 'python'): CodeBlock => ({ language, code })
const lines = (count: number, changed = -1) =>
  Array.from({ length: count }, (_, line) => `print(${line === changed ? 'new' : line})`).join('\n')

function blockEnd(ended: CodeBlock, result: Partial<BlockResult> = {}): BlockResult {
  return {
    block: ended,
    status: 'ok',
    exitCode: 0,
    output: '',
    stdout: '',
    stderr: '',
    results: [],
    files: [],
    notices: [],
    droppedBytes: { stdout: 0, stderr: 0, output: 0 },
    durationMs: 59,
    ...result,
  }
}

/** An agent of a conversation runs one program. */
function ran(code: string, output: string, result: Partial<BlockResult> = {}): EventInit[] {
  const run = block(code)
  const event = { type: 'code', agent: executor, retryAttempt: 0 } as const
  return [
    { type: 'code-start', agent: executor, blocks: [run] },
    { ...event, event: { type: 'block-start', index: 0, block: run } },
    { ...event, event: { type: 'stdout', index: 0, text: output } },
    { ...event, event: { type: 'block-end', index: 0, result: blockEnd(run, result) } },
    codeEnd(executor, output),
    said(executor, writer, `exitcode: 0 (execution succeeded)\nCode output: \n${output}`),
  ]
}

const delta = (piece: string): EventInit => ({
  type: 'text-delta',
  agent: writer,
  text: piece,
})

async function shown(
  events: readonly Told[],
  { columns, ...options }: ShowRunOptions & { columns?: number } = {},
) {
  const output = new PassThrough({ highWaterMark: 2 ** 20 })
  if (columns !== undefined) Object.assign(output, { isTTY: true, columns })
  async function* stream() {
    yield* events.map(eventOf)
  }
  const run = Object.assign(Promise.resolve('the result'), { [Symbol.asyncIterator]: stream })
  expect(await showRun(run, { output, ...options })).toBe('the result')
  return output.read()?.toString() ?? ''
}

beforeEach(() => {
  vi.stubEnv('FORCE_COLOR', '')
  vi.stubEnv('NO_COLOR', '')
})
afterEach(() => void vi.unstubAllEnvs())

describe('a conversation', () => {
  const file: OutputFile = { path: 'plot.png', sizeBytes: 1_600, change: 'created' }
  const events = [
    chatStart,
    said(executor, writer, 'Compute it.'),
    delta('So:\n\n```py'),
    delta('thon\nprint(233)\n```'),
    said(writer, executor, `So:\n\n${python('print(233)')}`),
    ...ran('print(233)', '233\n', { files: [file] }),
    said(writer, executor, 'It is 233.\n\nTERMINATE'),
    { type: 'termination', agent: executor, reason: 'The work is done.' },
    chatEnd,
  ] as const

  it('is who speaks, each program once with its number, its output, how it ended, and a summary', async () => {
    expect(await shown(events)).toBe(`code_executor to code_writer
Compute it.

code_writer to code_executor
So:

[1] python, line 3
    print(233)

  > 233
  = ok | 59 ms | created plot.png (1.6 kB)

code_writer to code_executor
It is 233.

Summary
  1  python  ok  59 ms  created plot.png (1.6 kB)

1 of 1 program ran well and made 1 file.
The work is done.
`)
  })

  it('holds none of the words of AutoGen', async () => {
    expect(await shown(fibonacci)).not.toMatch(/>>>>|EXECUTING|TERMINATE|exitcode|-----/)
  })

  it('shows a file below its line', async () => {
    expect(await shown(events, { showFile: async ({ path }) => `<${path}>` })).toContain(
      'created plot.png (1.6 kB)\n<plot.png>\n',
    )
  })

  it('is the same however the words of its model arrive', async () => {
    const answer = `I try:\n\n1. first\n   more\n2. \`second\`\n\n${python(lines(12))}\n\nand\n\n~~~sh\nls\n~~~\n\nDone.\n\nTERMINATE`
    const whole = await shown([chatStart, said(writer, executor, answer), chatEnd], { columns: 40 })
    expect(stripVTControlCharacters(whole)).toContain('[2] sh, line 24\n    ls\n')
    const cuts = fc.uniqueArray(fc.integer({ min: 0, max: answer.length }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(cuts, async (unsorted) => {
        const edges = [0, ...unsorted.toSorted((a, b) => a - b), answer.length]
        const pieces = edges.slice(1).map((edge, index) => delta(answer.slice(edges[index], edge)))
        const events = [chatStart, ...pieces, said(writer, executor, answer), chatEnd]
        expect(await shown(events, { columns: 40 })).toBe(whole)
      }),
    )
  })
})

describe('a program', () => {
  const first = [
    chatStart,
    said(writer, executor, python(lines(30))),
    ...ran(lines(30), '', { status: 'error', exitCode: 1 }),
  ]

  it('that is a new version of another one is shown by its changes', async () => {
    const page = await shown([...first, said(writer, executor, python(lines(30, 12)))])
    expect(page).toContain(
      '[2] python, line 1: changes to [1]\n    ... 10 more lines\n    print(10)\n    print(11)\n  - print(12)\n  + print(new)\n    print(13)\n    print(14)\n    ... 15 more lines\n',
    )
  })

  it('that is the same as another one is not shown again', async () => {
    const page = await shown([...first, said(writer, executor, python(lines(30)))])
    expect(page).toContain('[2] python, line 1: the same as [1]\n')
    expect(page.match(/print\(29\)/g)).toHaveLength(1)
  })

  it('that is another one is shown whole', async () => {
    const page = await shown([...first, said(writer, executor, python(`import os\n${lines(3)}`))])
    expect(page).toContain('[2] python, line 1\n    import os\n    print(0)\n    print(1)\n    print(2)\n')
  })

  it('that runs and was not said stands on the page before its output', async () => {
    const page = await shown([...first, ...ran('changed()', 'x\n')])
    expect(page).toContain('[2] python\n    changed()\n')
    expect(page.indexOf('changed()')).toBeLessThan(page.indexOf('  > x\n'))
  })

  it('of several is named above its output', async () => {
    const [one, two] = [block('print(1)'), block('ls', 'sh')]
    const event = { type: 'code', agent: executor, retryAttempt: 0 } as const
    const page = await shown([
      chatStart,
      said(writer, executor, `${python('print(1)')}\n~~~sh\nls\n~~~`),
      { type: 'code-start', agent: executor, blocks: [one, two] },
      { ...event, event: { type: 'block-start', index: 0, block: one } },
      { ...event, event: { type: 'block-end', index: 0, result: blockEnd(one) } },
      { ...event, event: { type: 'block-start', index: 1, block: two } },
      { ...event, event: { type: 'block-end', index: 1, result: blockEnd(two) } },
    ])
    expect(page).toContain('\n[1] python\n  = ok | 59 ms\n\n[2] sh\n  = ok | 59 ms\n')
  })

  it('that was cut off is shown as far as it goes', async () => {
    expect(await shown([said(writer, executor, '```python\nprint(1)\nprint(')])).toContain(
      '[1] python, line 1\n    print(1)\n    print(\n',
    )
  })

  it('without a label has the language that its code gives away', async () => {
    expect(await shown([said(writer, executor, '```\nimport os\nprint(os.name)\n```')])).toContain(
      '[1] python, line 1\n    import os\n',
    )
  })
})

describe('a task', () => {
  const wrote = (event: ExecutionEvent) => ({ type: 'code', agent: 'a', retryAttempt: 0, event }) as const
  const result: TaskResult = {
    status: 'done',
    text: '',
    files: [],
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, byModel: {} },
    messages: [],
    events: [],
    stopReason: 'Enough.',
  }
  const hello = block('print("Hello")')

  it('looks like a conversation, and has no names of classes', async () => {
    const events = [
      text('user', `Run this:\n\n${python(hello.code)}`),
      wrote({ type: 'block-start', index: 0, block: hello }),
      wrote({ type: 'stdout', index: 0, text: 'Hello\n' }),
      wrote({ type: 'block-end', index: 0, result: blockEnd(hello) }),
      codeRun('a', 'Hello\n'),
      text('a', 'Hello\n'),
    ]
    expect(await shown([...events, { type: 'task-end', agent: 'a', result }])).toBe(`user
Run this:

[1] python, line 3
    print("Hello")

  > Hello
  = ok | 59 ms

Summary
  1  python  ok  59 ms

1 of 1 program ran well.
Enough.
`)
  })
})

describe('an execution by itself', () => {
  const blocks = ['one', 'fail', 'never'].map((code) => block(code))

  async function page(
    approve?: AskAbout<'code'>,
    { columns, ...options }: ShowRunOptions & { columns?: number } = {},
  ) {
    const output = new PassThrough({ highWaterMark: 2 ** 20 })
    if (columns !== undefined) Object.assign(output, { isTTY: true, columns })
    const asks = () => `asked when the page had ${output.readableLength} bytes`
    const seen: string[] = []
    const executor =
      approve === undefined
        ? new EchoExecutor()
        : askingExecutor(new EchoExecutor(), {
            code: (...question) => {
              seen.push(asks())
              return approve(...question)
            },
          })
    await showRun(executor.execute(blocks), { output, blocks, ...options })
    const text: string = output.read().toString()
    return { text: text.replaceAll(/ *\d+ ms/g, ' 5 ms'), seen, output }
  }

  it('is each program above its output, and those that were not reached stand in the table', async () => {
    expect((await page()).text).toBe(`[1] python
    one

  > one
  = ok | 5 ms

[2] python
    fail

  ! it went wrong
  = error, exit code 3 | 5 ms

Summary
  1  python  ok 5 ms
  2  python  error, exit code 3 5 ms
  3  python  not run

1 of 2 programs ran well. The last one: error.
`)
  })

  it('has all programs on the page before anybody is asked about them', async () => {
    const { text, seen } = await page(() => ({ decision: 'allow' }))
    const programs = '[1] python\n    one\n\n[2] python\n    fail\n\n[3] python\n    never\n\n'
    expect(text.startsWith(`${programs}\n[1] python\n  > one\n`)).toBe(true)
    expect(seen).toEqual([`asked when the page had ${programs.length} bytes`])
  })

  it('that was denied names the reason once', async () => {
    const { text } = await page(() => ({ decision: 'deny', reason: 'Not here.' }))
    expect(text).toContain(
      '    never\n\n  - Code execution was not approved. Reason: Not here.\n  = denied\n',
    )
    expect(text.match(/Not here/g)).toHaveLength(1)
    expect(text).toContain('  2  python  not run\n')
  })

  it('fits into 40 columns', async () => {
    const { text } = await page(undefined, { columns: 40, colors: false })
    expect(text).toContain('  2  python  error, exit code 3 5 ms\n')
    const narrow = (await page(undefined, { columns: 36, colors: false })).text
    expect(narrow).toContain('  2  python  error, exit code 3\n 5 ms\n')
  })
})

describe('the terminal', () => {
  const failing = [
    chatStart,
    said(writer, executor, python('f("x")')),
    ...ran('f("x")', '', { status: 'error', exitCode: 1 }),
  ]
  const red = '\u001B[31m'

  it('gets colors, and red only for what failed', async () => {
    const well = await shown([chatStart, said(writer, executor, python('f("x")')), ...ran('f("x")', '')], {
      columns: 80,
    })
    expect(well).toContain('\u001B[32m"x"\u001B[39m')
    expect(well).not.toContain(red)
    expect(await shown(failing, { columns: 80 })).toContain(`${red}error, exit code 1`)
  })

  it.each([
    ['a pipe', {}, undefined, false],
    ['a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, undefined, true],
    ['a terminal with NO_COLOR', { NO_COLOR: '1' }, 80, false],
    ['a terminal with NO_COLOR and FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, 80, false],
  ])('%s gets what it asks for', async (_, env, columns, isColored) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const page = await shown(failing, columns === undefined ? {} : { columns })
    expect(page.includes('\u001B')).toBe(isColored)
  })

  it('has prose in lines of its width, also of lists, and a pipe has it as it was written', async () => {
    const prose = 'One two three\nfour five six.\n\n- seven eight nine\n  ten\n- eleven'
    const page = await shown([said('a', 'b', prose)], { columns: 20, colors: false })
    expect(page).toContain('One two three four\nfive six.\n\n- seven eight nine\n  ten\n- eleven\n')
    expect(await shown([said('a', 'b', prose)])).toContain(`${prose}\n`)
  })

  it('cannot be played with', async () => {
    const bad = '\u001B[2J\u0007\u202E'
    const page = await shown(
      [
        said(bad, bad, `${bad}\n${python(bad)}`),
        ...ran(bad, bad, { files: [{ path: bad, sizeBytes: 1, change: 'created' }] }),
        { type: 'notice', agent: 'a', notice: { code: 'x', message: bad } },
        { type: 'termination', agent: 'a', reason: bad },
      ],
      { columns: 80 },
    )
    const text = stripVTControlCharacters(page.replaceAll(/\S\[\d+m/g, ''))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about.
    expect(text).not.toMatch(/[\0-\x08\x0B-\x1F\x7F-\x9F\u202E]/)
    expect(page).not.toContain('\u001B[2J')
  })

  it('that is closed ends what is shown', async () => {
    const output = new PassThrough()
    output.destroy()
    await expect(shown(failing, { output })).rejects.toMatchObject({ code: 'OUTPUT_CLOSED' })
  })
})
