import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { collect } from '../../src/engine/collect.fixture.ts'
import type { BlockIo } from '../../src/engine/driver.ts'
import { blocks, type engineOptions, fakeExecutor, ok } from '../../src/engine/fake-driver.fixture.ts'
import type { ExecutionEvent } from '../../src/execution.ts'
import type { CodeResult, MimeBundle } from '../../src/vocabulary/code-result.ts'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'

interface Shown {
  readonly result: CodeResult
  readonly events: readonly ExecutionEvent[]
  /** What was saved, by the end of its name. */
  readonly saved: Readonly<Record<string, string>>
}

/** Runs a program that shows something. */
async function show(
  program: (io: BlockIo) => void | Promise<void>,
  withFiles = true,
  options: Parameters<typeof engineOptions>[0] = {},
): Promise<Shown> {
  await using used = fakeExecutor({
    options,
    ...(withFiles ? { workDirectory: new HostWorkDirectory() } : {}),
    programs: {
      show: async (io) => {
        await program(io)
        return ok
      },
    },
  }).executor
  const execution = used.execute(blocks('show'))
  const events = await collect(execution)
  const result = await execution
  const files = result.files.map(async ({ path, absolutePath = '' }) => {
    return [path.replace(/^result-[0-9a-f]{16}/, ''), await readFile(absolutePath, 'utf8')]
  })
  return { result, events, saved: Object.fromEntries(await Promise.all(files)) }
}

const png = Buffer.from('a picture').toString('base64')

describe('representations', () => {
  test('of each type are saved under their own extension, named in the output, kept as data', ({
    everyRow,
  }) =>
    everyRow<[type: string, value: unknown, extension: string, content: string, label: string]>(
      [
        ['image/png', png, '.png', 'a picture', 'Image'],
        ['image/jpeg', `${png}\n`, '.jpg', 'a picture', 'Image'],
        ['image/gif', png, '.gif', 'a picture', 'Image'],
        ['image/webp', png, '.webp', 'a picture', 'Image'],
        ['image/svg+xml', '<svg>é</svg>', '.svg', '<svg>é</svg>', 'Image'],
        ['text/html', ['<p>\n', 'é'], '.html', '<p>\né', 'HTML'],
        ['text/markdown', '# é', '.md', '# é', 'Markdown'],
        ['text/latex', '$x$', '.tex', '$x$', 'LaTeX'],
        ['application/pdf', png, '.pdf', 'a picture', 'PDF'],
        ['application/json', { a: [1, null] }, '.json', '{"a":[1,null]}\n', 'JSON'],
      ],
      async (type, value, extension, content, label) => {
        const { result, saved } = await show((io) => io.result({ [type]: value }))
        expect(saved).toEqual({ [extension]: content })
        const path = result.files[0]?.absolutePath
        expect(result.output.endsWith(`${label} data saved to ${path}\n`)).toBe(true)
        expect(result.blocks[0]?.results.map(({ data }) => data)).toEqual([{ [type]: value }])
      },
    ))

  test('all of one result are saved, and those of no known type are only data', async () => {
    const bundle = { 'image/png': png, 'image/svg+xml': '<svg/>', 'application/vnd.plot.v1+json': { x: 1 } }
    const { result, saved } = await show((io) => io.result(bundle))
    expect(Object.keys(saved).sort()).toEqual(['.png', '.svg'])
    expect(result.blocks[0]?.results.map(({ data }) => data)).toEqual([bundle])
    expect(result.output).not.toContain('vnd.plot')
  })

  test('a picture that is shown twice is one file', async () => {
    const { result } = await show((io) => {
      io.result({ 'image/png': png })
      io.result({ 'image/png': png })
    })
    expect(result.files).toHaveLength(1)
    expect(result.blocks[0]?.results).toHaveLength(2)
  })

  test('without a work directory nothing is saved, and all is data', async () => {
    const { result } = await show((io) => io.result({ 'image/png': png, 'text/plain': '<Figure>' }), false)
    expect(result).toMatchObject({ files: [], output: '<Figure>\n' })
    expect(result.blocks[0]?.results).toHaveLength(1)
  })

  test('what is not of its type is data only', async () => {
    const { result } = await show((io) => io.result({ 'image/png': { no: 'text' } }))
    expect(result).toMatchObject({ files: [], output: expect.stringContaining('image/png') })
  })

  test('a file that cannot be written is said, and the run goes on', async () => {
    const workDirectory = new HostWorkDirectory()
    const write = workDirectory.write.bind(workDirectory)
    workDirectory.write = async (name, content) => {
      if (name.startsWith('result-')) throw new Error('the disk is full')
      return write(name, content)
    }
    await using used = fakeExecutor({
      workDirectory,
      programs: {
        show: async (io) => {
          io.result({ 'image/png': png })
          return ok
        },
      },
    }).executor
    const result = await used.execute(blocks('show'))
    expect(result.status).toBe('ok')
    expect(result.blocks[0]?.notices).toMatchObject([
      { code: 'result-not-saved', data: { reason: expect.stringContaining('the disk is full') } },
    ])
    expect(result.output).toMatch(
      /^Image data saved to (\S+)\n\(\1 is not there: it could not be saved.*the disk is full/,
    )
  })
})

describe('what a model reads', () => {
  const cases: Array<[what: string, bundle: MimeBundle, output: RegExp]> = [
    ['text', { 'text/plain': '7' }, /^7\n$/],
    [
      'a table',
      { 'text/plain': '   a\n0  1', 'text/html': '<table>' },
      /^ {3}a\n0 {2}1\nHTML data saved to \S+\n$/,
    ],
    ['a picture', { 'text/plain': '<Figure size 1x1>', 'image/png': png }, /^Image data saved to \S+\n$/],
    [
      'markdown',
      { 'text/plain': '<Markdown object>', 'text/markdown': '# Hi' },
      /^# Hi\nMarkdown data saved to \S+\n$/,
    ],
    ['data alone', { 'application/vnd.x+json': {} }, /^A result of the type application\/vnd\.x\+json/],
  ]
  test.each(cases)('of %s', async (_, bundle, output) => {
    expect((await show((io) => io.result(bundle))).result.output).toMatch(output)
  })
})

describe('the memory of the host', () => {
  const mebibyte = 2 ** 20
  const codesOf = ({ blocks }: CodeResult) => blocks[0]?.notices.map(({ code }) => code)

  /** Shows the same thing under a number of its own, so many times. */
  async function showMany(count: number, shown: (number: number) => Parameters<BlockIo['result']>) {
    const { result, events } = await show((io) => {
      for (let number = 0; number < count; number++) io.result(...shown(number))
    }, false)
    const codes = codesOf(result)
    return { results: result.blocks[0]?.results ?? [], codes, output: result.output, events }
  }

  test('a rich result counts with its MIME types, which a program can make as long as it likes', async () => {
    const { results, codes, output } = await showMany(80, (number) => [
      { [`x/${number}${'a'.repeat(mebibyte)}`]: '' },
    ])
    expect(results).toHaveLength(63)
    expect(codes).toEqual(['results-left-out'])
    expect(output.length).toBeLessThan(80 * 400)
  })

  test('a rich result counts with the name of its display', async () => {
    const { results, codes } = await showMany(80, (number) => [
      {},
      { displayId: `${number}${'a'.repeat(mebibyte)}` },
    ])
    expect(results).toHaveLength(63)
    expect(codes).toEqual(['results-left-out'])
  })

  test('lists and objects in a rich result count, also where they are empty', async () => {
    const { results, codes } = await showMany(80, () => [
      { 'application/json': Array.from({ length: mebibyte / 64 }, () => ({})) },
    ])
    expect(results).toHaveLength(63)
    expect(codes).toEqual(['results-left-out'])
  })

  test('at most 10,000 rich results of a block are kept, also where they are empty', async () => {
    const { results, codes } = await showMany(20_000, () => [{}])
    expect(results).toHaveLength(10_000)
    expect(codes).toEqual(['results-left-out'])
  })

  test('at most 100 MIME types of a rich result are kept', async () => {
    const types = Array.from({ length: 300 }, (_, number) => [`x/${number}`, number] as const)
    const { results, codes, events } = await showMany(2, () => [Object.fromEntries(types)])
    expect(results.map(({ data }) => Object.keys(data).length)).toEqual([100, 100])
    expect(events.flatMap((event) => (event.type === 'result' ? [event.result] : []))).toEqual(
      results.map(({ data }) => data),
    )
    expect(codes).toEqual(['results-left-out'])
  })

  test('a picture that is shown beyond the limit again and again is one file', async () => {
    const { result } = await show((io) => {
      for (let count = 0; count < 10_000; count++) io.result({})
      for (let count = 0; count < 100; count++) io.result({ 'image/png': png })
      io.clear()
      io.result({ 'image/svg+xml': '<svg/>' })
    })
    expect(result.files.map(({ path }) => path)).toEqual([expect.stringMatching(/svg$/)])
  })

  test('at most 100 notices with one code are kept of a block, and every other notice', async () => {
    const { result, events } = await show((io) => {
      for (let count = 0; count < 1_000; count++) io.notice({ code: 'a', message: `${count}` })
      io.notice({ code: 'b', message: 'x'.repeat(mebibyte) })
      io.notice({ code: 'c', message: 'last' })
    })
    const codes = [...Array.from({ length: 100 }, () => 'a'), 'notices-left-out', 'notices-left-out', 'c']
    expect(codesOf(result)).toEqual(codes)
    expect(events.flatMap((event) => (event.type === 'notice' ? [event.notice.code] : []))).toEqual(codes)
  })
})

describe('a display', () => {
  test('keeps its metadata, and a value stays the value of its cell when it is updated', async () => {
    const metadata = { 'image/png': { width: 3 } }
    const { result } = await show((io) => {
      io.result({ 'image/png': 'AAAA' }, { metadata })
      io.result({ 'text/plain': '1' }, { displayId: 'v', executionCount: 4 })
      io.result({ 'text/plain': '2' }, { displayId: 'v', isUpdate: true })
    })
    expect(result.blocks[0]?.results).toEqual([
      { kind: 'display', data: { 'image/png': 'AAAA' }, metadata },
      { kind: 'value', data: { 'text/plain': '2' }, executionCount: 4 },
    ])
  })

  test('is replaced by a later result of its name', async () => {
    const { result, events } = await show((io) => {
      io.result({ 'text/plain': '1 of 2' }, { displayId: 'bar' })
      io.result({ 'text/plain': 'other' })
      io.result({ 'text/plain': '2 of 2' }, { displayId: 'bar' })
      io.result({ 'text/plain': '2 of 2' }, { displayId: 'bar' })
    })
    expect(result.blocks[0]?.results.map(({ data }) => data)).toEqual([
      { 'text/plain': '2 of 2' },
      { 'text/plain': 'other' },
    ])
    expect(result.output).toBe('2 of 2\nother\n')
    expect(events.filter(({ type }) => type === 'result')).toMatchObject([
      { displayId: 'bar' },
      {},
      { displayId: 'bar' },
      { displayId: 'bar' },
    ])
  })

  test('has one line in the output, with its last state, and one behind it where there is no room', async () => {
    const redraw = (io: BlockIo, texts: Readonly<Record<string, string>>) => {
      for (const [displayId, text] of Object.entries(texts)) io.result({ 'text/plain': text }, { displayId })
    }
    const bars = async (io: BlockIo) => {
      await io.write('stdout', Buffer.from('unfinished'))
      redraw(io, { a: '1', b: 'long', c: 'same', d: '4' })
      await io.write('stdout', Buffer.from('end\n'))
      redraw(io, { a: 'first', b: 'b', c: 'other', d: '' })
      redraw(io, { c: 'same' })
    }
    expect((await show(bars)).result.output).toBe('unfinished\nfirst\nb\nsame\nend\n')
    const flood = async (io: BlockIo) => {
      redraw(io, { a: '1', b: '1' })
      await io.write('stdout', Buffer.alloc(10_000, 'x\n'))
      redraw(io, { c: '1', a: '2', b: 'x'.repeat(1_000) })
      redraw(io, { c: '2' })
    }
    const { output } = (await show(flood, true, { maxOutputBytes: 5_000 })).result
    expect(output).toMatch(/^2\n1\nx\n[\s\S]*left out[\s\S]*\n1\n2\nx{1000}\n$/)
    const secret = await show(bars, true, { redact: ['first'] })
    expect(secret.result.output).toMatch(/^unfinished\n1\nlong\nsame\n4\nend\n\[redacted\]\nb\n/)
  })

  test('that is empty says nothing until it is replaced', async () => {
    const { result } = await show((io) => {
      io.result({}, { displayId: 'bar' })
      io.result({ 'text/plain': 'full' }, { displayId: 'bar' })
      io.result({})
    })
    expect(result.blocks[0]?.results.map(({ data }) => data)).toEqual([{ 'text/plain': 'full' }, {}])
    expect(result.output).toBe('full\n')
  })

  test('that is cleared leaves what comes later', async () => {
    const { result, events } = await show(async (io) => {
      await io.write('stdout', Buffer.from('before\n'))
      await io.write('stderr', Buffer.from('before\n'))
      io.result({ 'text/plain': 'before' })
      io.clear()
      await io.write('stdout', Buffer.from('after\n'))
    })
    expect(result).toMatchObject({
      output: 'after\n',
      blocks: [{ stdout: 'after\n', stderr: '', results: [] }],
    })
    expect(events.map(({ type }) => type)).toContain('clear')
  })

  test('of more than the limit goes to files, and that is said once', async () => {
    const part = 'x'.repeat(40 * 2 ** 20)
    const { result } = await show((io) => {
      for (const name of ['a', 'b', 'c']) io.result({ 'image/svg+xml': name + part })
    })
    expect(result.blocks[0]?.results).toHaveLength(1)
    expect(result.files).toHaveLength(3)
    expect(result.blocks[0]?.notices.map(({ code }) => code)).toEqual(['results-left-out'])
  })
})

describe('a picture that is redrawn', () => {
  const frame = (count: number) => ({
    'image/png': Buffer.from(`${count}`.padStart(200_000)).toString('base64'),
  })

  test.each([
    ['as one display', (io: BlockIo, count: number) => io.result(frame(count), { displayId: 'film' })],
    [
      'after it was cleared',
      (io: BlockIo, count: number) => {
        io.clear()
        io.result(frame(count))
      },
    ],
  ])('%s is one file in the end, and no memory grows while nobody reads', async (_, draw) => {
    const workDirectory = new HostWorkDirectory()
    await using used = fakeExecutor({
      workDirectory,
      programs: {
        film: async (io) => {
          for (let count = 0; count < 300; count++) {
            draw(io, count)
            if (count % 20 === 0) await new Promise(setImmediate)
          }
          return ok
        },
      },
    }).executor
    const execution = used.execute(blocks('film'))
    const result = await execution
    expect(result.files).toHaveLength(1)
    expect([...((await workDirectory.list())?.keys() ?? [])]).toEqual(result.files.map(({ path }) => path))
    expect(await readFile(result.files[0]?.absolutePath ?? '', 'utf8')).toBe('299'.padStart(200_000))
    expect(result.output.match(/saved to/g)).toHaveLength(1)
    let length = 0
    const codes: string[] = []
    for await (const event of execution) {
      if (event.type === 'result') length += JSON.stringify(event.result).length
      if (event.type === 'notice') codes.push(event.notice.code)
    }
    expect(length).toBeLessThan(17 * 2 ** 20)
    expect(codes).toEqual(['live-output-dropped'])
  })

  test('and cleared leaves the file of an earlier block alone', async () => {
    await using used = fakeExecutor({
      workDirectory: new HostWorkDirectory(),
      programs: {
        show: async (io) => {
          io.result({ 'image/png': png })
          return ok
        },
        cleared: async (io) => {
          io.result({ 'image/png': png })
          io.clear()
          return ok
        },
      },
    }).executor
    const result = await used.execute(blocks('show', 'cleared'))
    expect(await readFile(result.files[0]?.absolutePath ?? '', 'utf8')).toBe('a picture')
  })

  test('under a great many names takes no longer than under one', async () => {
    const { result } = await show((io) => {
      for (let count = 0; count < 50_000; count++) io.result({}, { displayId: `${count}` })
    }, false)
    expect(result.blocks[0]?.results).toHaveLength(10_000)
  })

  test('in more files than are kept of a block says so', async () => {
    const { result, saved } = await show((io) => {
      for (let count = 0; count < 250; count++) io.result({ 'text/html': `${count}` })
    })
    expect(result.files).toHaveLength(200)
    expect(Object.keys(saved)).toHaveLength(1)
    expect(result.blocks[0]?.notices.map(({ code }) => code)).toEqual(['files-left-out'])
  })
})

describe('a driver that takes text', () => {
  test('gets no file for a block, but for one that names it', async () => {
    const workDirectory = new HostWorkDirectory()
    const paths: string[] = []
    await using used = fakeExecutor({
      workDirectory,
      takesText: true,
      programs: {
        ok: async (_, { path }) => {
          paths.push(path)
          return ok
        },
        '# filename: a.py\nok': async (_, { path }) => {
          paths.push(path)
          return ok
        },
      },
    }).executor
    const result = await used.execute(blocks('ok', '# filename: a.py\nok'))
    expect(paths).toEqual(['', `${workDirectory.path}/a.py`])
    expect(await workDirectory.list().then((files) => [...(files?.keys() ?? [])])).toEqual(['a.py'])
    expect(result.blocks[1]?.file).toBe('a.py')
  })

  test('gets every text as it was written', async () => {
    const seen: string[] = []
    await using used = fakeExecutor({
      workDirectory: new HostWorkDirectory(),
      takesText: true,
      programs: {
        '!pip install x': async (_, { code }) => {
          seen.push(code)
          return ok
        },
      },
    }).executor
    await used.execute(blocks('!pip install x'))
    expect(seen).toEqual(['!pip install x'])
  })
})
