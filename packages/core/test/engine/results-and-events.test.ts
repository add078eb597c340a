import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeBlock } from '@fenced/markdown'
import { describe, expect, test, vi } from 'vitest'
import { collect } from '../../src/engine/collect.fixture.ts'
import { blocks, fakeExecutor, ok, type Program, typesOf } from '../../src/engine/fake-driver.fixture.ts'
import type { CodeResult, Notice } from '../../src/vocabulary/code-result.ts'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'

const json: CodeBlock = { language: 'json', code: '{}' }

/** Says and leaves everything that a program can. */
const everything: Program = async (io) => {
  await io.write('stdout', Buffer.from('out\n'))
  await io.write('stderr', Buffer.from('err\n'))
  io.result({ 'text/plain': '<Figure>', 'image/png': 'aGk=', 'application/json': { list: [1, null, 'x'] } })
  io.notice({ code: 'note', message: 'a note' })
  return ok
}

async function fakeWithFiles() {
  const workDirectory = new HostWorkDirectory()
  const makesFile: Program = async () => {
    await workDirectory.write('made.txt', 'made')
    return ok
  }
  return fakeExecutor({ workDirectory, programs: { everything, makesFile } })
}

describe('events', () => {
  test('come in the documented order', ({ everyRow }) =>
    everyRow<[what: string, given: CodeBlock[], types: string[]]>(
      [
        ['no blocks', [], []],
        ['a silent program', blocks('ok'), ['block-start', 'block-end']],
        ['data', [json], ['block-start', 'notice', 'block-end']],
        [
          'a program that says everything',
          blocks('everything'),
          ['block-start', 'stdout', 'stderr', 'result', 'notice', 'file', 'file', 'block-end'],
        ],
        ['a program that makes a file', blocks('makesFile'), ['block-start', 'file', 'block-end']],
        ['a document', [{ language: 'html', code: '<p>' }], ['block-start', 'file', 'block-end']],
        ['an unknown language', [{ language: 'klingon', code: '' }], ['block-start', 'notice', 'block-end']],
        [
          'two blocks',
          blocks('hello', 'ok'),
          ['block-start', 'stdout', 'block-end', 'block-start', 'block-end'],
        ],
        ['a block behind one that fails', blocks('fail', 'hello'), ['block-start', 'block-end']],
      ],
      async (_, given, types) => {
        await using used = (await fakeWithFiles()).executor
        const events = await collect(used.execute(given))
        expect(typesOf(events)).toEqual([...types, 'execution-end'])
      },
    ))

  test('carry the index of their block, and the end is the result', async () => {
    await using used = (await fakeWithFiles()).executor
    const execution = used.execute([json, ...blocks('everything')])
    const events = await collect(execution)
    expect(events.flatMap((event) => ('index' in event ? [event.index] : []))).toEqual([
      0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
    ])
    expect(events.at(-1)).toEqual({ type: 'execution-end', result: await execution })
    expect(events.filter(({ type }) => type === 'block-end')).toMatchObject(
      (await execution).blocks.map((result) => ({ result })),
    )
  })

  test('tell how the start goes before the first block, without an index and without secrets', async () => {
    const { executor } = fakeExecutor({
      start: async ({ notice }) => notice({ code: 'pull', message: 'Pulling from https://s3cret@registry' }),
      options: { redact: ['s3cret'] },
    })
    const [first] = await collect(executor.execute(blocks('ok')))
    expect(first).toEqual({
      type: 'notice',
      notice: { code: 'pull', message: 'Pulling from https://[redacted]@registry' },
    })
  })

  test('have notices whose hidden characters are escapes, while their data is as it was', async () => {
    const given = {
      code: 'note',
      message: 'no module a\u200Bb\u001B[2J\nat all',
      data: { module: 'a\u200Bb' },
    }
    const shown = { ...given, message: 'no module a[U+200B]b␛[2J\nat all' }
    const noting: Program = async (io) => {
      io.notice(given)
      return { exitCode: 1 }
    }
    await using used = (await fakeExecutor({ programs: { noting } })).executor
    const events = await collect(used.execute(blocks('noting')))
    expect(events.filter(({ type }) => type === 'notice')).toEqual([
      { type: 'notice', index: 0, notice: shown },
    ])
    const { result } = events.findLast(({ type }) => type === 'execution-end') as { result: CodeResult }
    expect(result).toMatchObject({ output: `${shown.message}\n`, blocks: [{ notices: [shown] }] })
  })

  test('of a start go to everybody who waits for it', async () => {
    const { executor } = fakeExecutor({
      start: async ({ notice }) => notice({ code: 'pull', message: 'Pulling with s3cret' }),
      options: { redact: ['s3cret'] },
    })
    const heard: Notice[] = []
    const onNotice = (notice: Notice) => heard.push(notice)
    await Promise.all([executor.start({ onNotice }), executor.start({ onNotice }), executor.start()])
    await executor.start({ onNotice })
    const notice = { code: 'pull', message: 'Pulling with [redacted]' }
    expect(heard).toEqual([notice, notice])
  })
})

describe('a result', () => {
  test.each<[what: string, given: CodeBlock[], result: object]>([
    ['of no blocks', [], { status: 'ok', exitCode: 0, output: '', blocks: [], files: [] }],
    [
      'of data only',
      [json, json],
      { status: 'ok', exitCode: 0, blocks: [{ status: 'skipped' }, { status: 'skipped' }] },
    ],
    [
      'of data behind a program',
      [...blocks('hello'), json],
      { status: 'ok', exitCode: 0, output: expect.stringMatching(/^hello\n.+\n$/) },
    ],
    [
      'of a failure',
      blocks('hello', 'fail', 'ok'),
      { status: 'error', exitCode: 3, blocks: [{ status: 'ok' }, { status: 'error' }] },
    ],
    [
      'of a rich result',
      blocks('everything'),
      {
        output: expect.stringMatching(
          /^out\nerr\nImage data saved to \/.*\.png\nJSON data saved to \/.*\.json\n$/,
        ),
        blocks: [{ stdout: 'out\n', stderr: 'err\n' }],
      },
    ],
  ])('%s', async (_, given, result) => {
    await using used = (await fakeWithFiles()).executor
    expect(await used.execute(given)).toMatchObject(result)
  })

  test('of data only says in its output why nothing was run', async () => {
    const { executor } = fakeExecutor()
    const { output, blocks: ran } = await executor.execute([json])
    const [notice] = ran[0]?.notices ?? []
    expect(notice).toMatchObject({ code: 'not-run', data: { language: 'json' } })
    expect(output).toBe(`${notice?.message}\n`)
  })

  test('survives JSON', async () => {
    await using used = (await fakeWithFiles()).executor
    const results = [
      await used.execute([json, ...blocks('everything', 'makesFile', 'fail')]),
      await used.execute([{ language: 'klingon', code: '' }]),
      await used.execute(blocks('endless'), { timeoutMs: 20 }),
      await used.execute(blocks('ok'), { signal: AbortSignal.abort() }),
    ]
    for (const result of results) expect(JSON.parse(JSON.stringify(result))).toEqual(result)
  })

  test('holds no secret, however deep', async () => {
    const program: Program = async (io) => {
      await io.write('stderr', Buffer.from('s3c'))
      await io.write('stdout', Buffer.from('s3cret'))
      await io.write('stderr', Buffer.from('ret'))
      io.result({ 'text/plain': 's3cret', 'application/json': { 'a s3cret key': [{ b: 'is s3cret' }] } })
      io.notice({ code: 'note', message: 'on s3cret' })
      return { exitCode: 1 }
    }
    const { executor } = fakeExecutor({ programs: { program }, options: { redact: ['s3cret'] } })
    const execution = executor.execute(blocks('program'))
    expect(JSON.stringify([await execution, await collect(execution)])).not.toContain('s3cret')
  })

  test('holds no secret in the texts of its block', async () => {
    const { executor } = fakeExecutor({
      programs: { program: async () => ok },
      options: { redact: ['s3cret', 'code'] },
    })
    const told = { info: 'python s3cret.py', closed: false, almostClosed: 'A line with s3cret.' }
    const execution = executor.execute([{ ...blocks('program')[0], ...told } as CodeBlock])
    const result = await execution
    expect(JSON.stringify([result, await collect(execution)])).not.toContain('s3cret')
    expect(result.blocks[0]?.block).toMatchObject({ code: 'program', info: 'python [redacted].py' })
  })

  test('has no secret in its output that two blocks spell out', async () => {
    const half =
      (text: string): Program =>
      async (io) => {
        await io.write('stdout', Buffer.from(text))
        return ok
      }
    const { executor } = fakeExecutor({
      programs: { first: half('hun'), second: half('ter2') },
      options: { redact: ['hunter2'] },
    })
    expect(await executor.execute(blocks('first', 'second'))).toMatchObject({ output: '[redacted]' })
  })

  test('holds no secret that two streams spell out in turn, nor one that the code names', async () => {
    const program: Program = async (io) => {
      for (const [index, character] of [...'s3cret-value'].entries()) {
        await io.write(index % 2 === 0 ? 'stdout' : 'stderr', Buffer.from(character))
      }
      return ok
    }
    const { executor } = fakeExecutor({
      programs: { 's3cret-value': program },
      options: { redact: ['s3cret-value'] },
    })
    const execution = executor.execute(blocks('s3cret-value'))
    const result = await execution
    expect(JSON.stringify([result, await collect(execution)])).not.toContain('s3cret-value')
    expect(result).toMatchObject({ status: 'ok', output: '[redacted]' })
  })

  test.skipIf(process.platform !== 'linux')(
    'leaves no file that gives away the rights of its owner',
    async () => {
      const workDirectory = new HostWorkDirectory()
      const shell: Program = async () => {
        writeFileSync(join(workDirectory.path, 'shell'), '')
        chmodSync(join(workDirectory.path, 'shell'), 0o4755)
        return ok
      }
      const { executor } = fakeExecutor({ workDirectory, programs: { shell } })
      const { files } = await executor.execute(blocks('shell'))
      expect(files).toMatchObject([{ path: 'shell' }])
      expect(statSync(join(workDirectory.path, 'shell')).mode & 0o7777).toBe(0o755)
      await executor.stop()
    },
  )

  test('is not lost when a program makes a directory of its own file', async () => {
    const workDirectory = new HostWorkDirectory()
    const replacesItself: Program = async (_, { path }) => {
      rmSync(path)
      mkdirSync(join(path, 'full'), { recursive: true })
      return { ...ok, tookContent: true }
    }
    await using executor = fakeExecutor({ workDirectory, programs: { replacesItself } }).executor
    expect((await executor.execute(blocks('replacesItself'))).status).toBe('ok')
    // While code may run there, only a file is removed.
    expect(readdirSync(workDirectory.path)).toHaveLength(1)
    await executor.stop()
    expect(existsSync(workDirectory.path) ? readdirSync(workDirectory.path) : []).toEqual([])
  })

  test('counts a file once, as the last block left it, and forgets one that was removed', async () => {
    const workDirectory = new HostWorkDirectory()
    const file =
      (name: string, content: string): Program =>
      async () => {
        await workDirectory.write(name, content)
        return ok
      }
    const removes: Program = async () => {
      await workDirectory.remove('gone.txt')
      return ok
    }
    const programs = {
      one: file('a.txt', '1'),
      two: file('a.txt', '22'),
      gone: file('gone.txt', ''),
      removes,
    }
    await using executor = fakeExecutor({ workDirectory, programs }).executor
    const result = await executor.execute(blocks('one', 'gone', 'two', 'removes'))
    const absolutePath = `${workDirectory.path}/a.txt`
    expect(result.files).toEqual([{ path: 'a.txt', absolutePath, sizeBytes: 2, change: 'created' }])
    expect(result.blocks.map(({ files }) => files.map(({ path, change }) => `${change} ${path}`))).toEqual([
      ['created a.txt'],
      ['created gone.txt'],
      ['changed a.txt'],
      [],
    ])
  })
})

describe('the output limit', () => {
  const flood: Program = async (io) => {
    while (!io.signal.aborted) {
      await io.write('stdout', Buffer.from('flood\n'.repeat(100)))
      await new Promise(setImmediate)
    }
    return ok
  }

  test('may end a program', async () => {
    const { executor } = fakeExecutor({
      programs: { flood },
      options: { maxOutputBytes: 100, onOutputLimit: 'kill' },
    })
    const result = await executor.execute(blocks('flood'))
    expect(result).toMatchObject({
      status: 'output-limit',
      exitCode: 137,
      blocks: [{ notices: [{ code: 'output-limit', data: { limitBytes: '100' } }] }],
    })
  })

  test('else only cuts what is kept', async () => {
    const { executor } = fakeExecutor({ programs: { flood }, options: { maxOutputBytes: 100 } })
    const result = await executor.execute(blocks('flood'), { timeoutMs: 50 })
    expect(result.status).toBe('timeout')
    expect(result.blocks[0]?.droppedBytes.stdout).toBeGreaterThan(0)
  })
})

test('a document that is saved over an old one has changed it, however full the directory is, and nothing is listed', async () => {
  const workDirectory = new HostWorkDirectory()
  await workDirectory.open()
  await workDirectory.write('page.html', 'old')
  const list = vi.spyOn(workDirectory, 'list').mockResolvedValue(undefined)
  const { executor } = fakeExecutor({ workDirectory })
  const page = (name: string) => ({ language: 'html', code: `<!-- filename: ${name} -->\n<p>` })
  const { files } = await executor.execute([page('page.html'), page('new.html')])
  expect(files.map(({ path, change }) => [path, change])).toEqual([
    ['page.html', 'changed'],
    ['new.html', 'created'],
  ])
  expect(list).not.toHaveBeenCalled()
  await executor.stop()
})
