import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileLedger } from '@fenced/core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { anywhere, FencedCommand } from './command.ts'
import { type Answer, RawHttpClient, RawStdioClient } from './raw-mcp.ts'

const run = (command: string, sandbox?: string) => ({
  command,
  ...(sandbox === undefined ? {} : { sandbox }),
})
const outputOf = ({ result }: Answer) => result?.content?.[0]?.text
const questionOf = ({ result }: Answer) => result?.inputRequests?.approval?.params.message ?? ''
const stateOf = ({ result }: Answer) => result?.requestState ?? ''

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-mcp-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

describe('fenced mcp --ask --ledger', () => {
  it('records each question, answer, start and end, and counts an answer once', async () => {
    const path = join(await temporaryDirectory(), 'ledger')
    await using client = new RawStdioClient(['--ask', '--ledger', path])
    const state = stateOf(await client.call('run_command', run('echo once')))
    const ledger = fileLedger(path)
    expect(await ledger.list()).toMatchObject([{ kind: 'code', state: 'asked' }])
    expect(outputOf(await client.call('run_command', run('echo once'), state))).toBe('once')
    const file = { path: 'kept', content: '' }
    const fileState = stateOf(await client.call('write_file', file))
    await client.call('write_file', file, fileState)
    expect(await ledger.list()).toMatchObject([
      { kind: 'code', state: 'finished', decidedBy: 'person' },
      { kind: 'file', state: 'finished', decidedBy: 'person' },
    ])
    expect(outputOf(await client.call('run_command', run('echo once'), state))).toBeUndefined()
    expect((await ledger.list()).map(({ state: each }) => each)).toEqual(['finished', 'finished', 'asked'])
  })

  it('runs nothing where the ledger cannot be used', async () => {
    const path = join(await temporaryDirectory(), 'file')
    await writeFile(path, '')
    await using client = new RawStdioClient(['--ask', '--ledger', path])
    const answer = await client.call('run_command', run('echo ran'))
    expect(outputOf(answer)).toContain('(LEDGER_UNAVAILABLE)')
  })
})

describe('fenced mcp --ask', () => {
  let client: RawStdioClient
  beforeAll(() => {
    client = new RawStdioClient(['--ask'])
  })
  afterAll(() => client[Symbol.asyncDispose]())

  const question = async (command: string) => stateOf(await client.call('run_command', run(command)))

  it('runs the program that a person has seen and allowed', async () => {
    const state = await question('echo allowed')
    expect(outputOf(await client.call('run_command', run('echo allowed'), state))).toBe('allowed')
  })

  it('shows what a shell would act on in the program, and in the content of a file', async () => {
    const code = 'mode=dry-run\r\n[ "$mode" = dry-run ] || echo ran \n\techo [U+202E]\u202E'
    const seen = '[ "$mode" = dry-run ] || echo ran␠\n␉   echo [U+005B]U+202E][U+202E]'
    // The shell is given the program with line endings that it understands.
    expect(questionOf(await client.call('run_command', run(code)))).toContain(`\n\nmode=dry-run\n${seen}`)
    const file = { path: 'Makefile', content: code }
    expect(questionOf(await client.call('write_file', file))).toContain(`mode=dry-run␍\n${seen}`)
  })

  it('shows and runs a program without the fence that a model wrote around it', async () => {
    const fenced = run('```sh\necho allowed\n```')
    const asked = await client.call('run_command', fenced)
    expect(questionOf(asked)).not.toContain('```sh')
    expect(outputOf(await client.call('run_command', run('echo allowed'), stateOf(asked)))).toBe('allowed')
  })

  it('asks where an answer comes to a question that was not asked', async () => {
    const answer = await client.callWithAnswer('run_command', run('echo ran'))
    expect([outputOf(answer), questionOf(answer)]).toEqual([undefined, expect.stringContaining('echo ran')])
  })

  it('asks where an answer comes to the question about another program', async () => {
    const state = await question('echo shown')
    const answer = await client.call('run_command', run('echo other'), state)
    expect([outputOf(answer), questionOf(answer)]).toEqual([undefined, expect.stringContaining('echo other')])
    const python = await client.call('execute_code', { language: 'python', code: 'echo shown' }, state)
    expect([outputOf(python), questionOf(python)]).toEqual([undefined, expect.stringContaining('(python)')])
  })

  it('runs a program once for each answer, also where two come at the same time', async () => {
    const state = await question('echo once')
    const answers = await Promise.all(
      [1, 2, 3].map(() => client.call('run_command', run('echo once'), state)),
    )
    expect(answers.map(outputOf).filter((output) => output !== undefined)).toEqual(['once'])
    const later = await client.call('run_command', run('echo once'), state)
    expect([outputOf(later), questionOf(later)]).toEqual([undefined, expect.stringContaining('echo once')])
  })

  it('writes the file that a person has seen and allowed, once, and no other', async () => {
    const file = { path: 'helper.py', content: 'print(1)\n' }
    const state = stateOf(await client.call('write_file', file))
    const others = [
      { ...file, content: 'print(2)\n' },
      { ...file, path: 'other.py' },
      { ...file, content: 'cHJpbnQoMikK', encoding: 'base64' },
    ]
    for (const other of others)
      expect(questionOf(await client.call('write_file', other, state))).toContain('May the file ')
    expect(questionOf(await client.call('run_command', run('cat helper.py'), state))).toContain('cat')
    const answers = await Promise.all([1, 2, 3].map(() => client.call('write_file', file, state)))
    expect(answers.map(outputOf).filter((output) => output !== undefined)).toHaveLength(1)
    expect(outputOf(await client.call('read_file', { path: 'helper.py' }))).toBe('print(1)\n')
    expect(outputOf(await client.call('read_file', { path: 'other.py' }))).toContain('no file')
  })

  it('asks about an edit with all that the file would have, again once the file has changed', async () => {
    const file = { path: 'edited.txt', content: 'first\nsecond\n' }
    await client.call('write_file', file, stateOf(await client.call('write_file', file)))
    const edit = { path: 'edited.txt', old_text: 'second', new_text: 'changed' }
    const asked = await client.call('edit_file', edit)
    expect(questionOf(asked)).toContain('\n\nfirst\nchanged\n')
    const other = { ...file, content: 'hidden\nsecond\n' }
    await client.call('write_file', other, stateOf(await client.call('write_file', other)))
    const again = await client.call('edit_file', edit, stateOf(asked))
    expect([outputOf(again), questionOf(again)]).toEqual([
      undefined,
      expect.stringContaining('hidden\nchanged'),
    ])
    expect(outputOf(await client.call('edit_file', edit, stateOf(again)))).toContain('edited.txt')
    expect(outputOf(await client.call('read_file', { path: 'edited.txt' }))).toBe('hidden\nchanged\n')
  })

  it('refuses a question that it has not signed', async () => {
    const state = await question('echo signed')
    const payload = Buffer.from(
      JSON.stringify({ p: { id: 'x', key: 'default', digest: 'x' }, exp: 2 ** 32 }),
    ).toString('base64url')
    for (const forged of ['', 'v1.', `${state}x`, state.replace(/^v1\.[^.]*/, `v1.${payload}`)]) {
      const answer = await client.call('run_command', run('echo signed'), forged)
      expect([outputOf(answer), answer.error?.code], forged).toEqual([undefined, -32_602])
    }
  })

  it('shows the person hidden characters of a program as escapes', async () => {
    const hidden = 'echo \u202Ea\u200B\u3164 \u001B[2K\u001B[1A'
    const asked = questionOf(await client.call('run_command', run(hidden)))
    expect(asked).toMatch(/\n\necho \[U\+202E\]a\[U\+200B\]\[U\+3164\] ␛\[2K␛\[1A$/)
    expect(outputOf(await client.call('run_command', run(hidden), await question(hidden)))).toContain(
      '\u202E',
    )
  })
})

it('a question of fenced mcp --ask can be answered for --max-wait', async () => {
  await using client = new RawStdioClient(['--ask', '--max-wait', '600'])
  const before = Math.floor(Date.now() / 1_000)
  const state = stateOf(await client.call('run_command', run('echo ran')))
  const { exp } = JSON.parse(`${Buffer.from(state.split('.')[1] ?? '', 'base64url')}`)
  expect(exp).toBeGreaterThanOrEqual(before + 600)
  expect(exp).toBeLessThanOrEqual(Math.floor(Date.now() / 1_000) + 600)
})

describe('fenced mcp --ask --http', () => {
  let server: FencedCommand
  let client: RawHttpClient
  let ledger = ''
  beforeAll(async () => {
    ledger = await mkdtemp(join(tmpdir(), 'fenced-mcp-'))
    server = new FencedCommand(['mcp', ...anywhere, '--http', '--ask', '--ledger', ledger])
    client = new RawHttpClient(JSON.parse(await server.said(/^(.*)\n/)))
  })
  afterAll(async () => {
    server.child.kill('SIGTERM')
    await server.ended
    await rm(ledger, { recursive: true })
  })

  const opened = async () => {
    const { result } = await client.call('open_sandbox', {})
    return result?.structuredContent?.sandbox ?? ''
  }

  it('counts an answer for its sandbox only, and once for all requests', async () => {
    const [one, two] = [await opened(), await opened()]
    const state = stateOf(await client.call('run_command', run('echo here', one)))
    const other = await client.call('run_command', run('echo here', two), state)
    expect([outputOf(other), questionOf(other)]).toEqual([undefined, expect.stringContaining('echo here')])
    expect(outputOf(await client.call('run_command', run('echo here', one), state))).toBe('here')
    expect(outputOf(await client.call('run_command', run('echo here', one), state))).toBeUndefined()
  })

  it('tells the handle of a sandbox to its client alone: neither to the person, nor to the ledger', async () => {
    const sandbox = await opened()
    expect(sandbox.length).toBeGreaterThan(48)
    const asked = await client.call('run_command', run('echo here', sandbox))
    await client.call('run_command', run('echo here', sandbox), stateOf(asked))
    const failed = await client.call('read_file', { path: 'none', sandbox })
    const kept = await Promise.all(
      (await readdir(ledger)).map((name) => readFile(join(ledger, name), 'utf8')),
    )
    expect(kept.join('\n')).toContain('finished')
    expect(JSON.stringify([asked, failed, kept])).not.toContain(sandbox)
    expect(Buffer.from(stateOf(asked).split('.')[1] ?? '', 'base64url').toString()).not.toContain(sandbox)
  })

  it('asks nobody about a program in a sandbox that is not open', async () => {
    const answer = await client.call('run_command', run('echo ran', 'sandbox-guessed'))
    expect([answer.result?.isError, questionOf(answer)]).toEqual([true, ''])
  })
})

it('a server that is killed while a program outlives its call leaves an unknown end, and the program ran once', {
  tags: 'nightly',
  timeout: 180_000,
}, async () => {
  const directory = await temporaryDirectory()
  const [path, ran] = [join(directory, 'ledger'), join(directory, 'ran')]
  const options = ['--http', '--max-sandboxes', '1', '--ask', '--ledger', path]
  const server = new FencedCommand(['mcp', ...anywhere, ...options])
  const client = new RawHttpClient(JSON.parse(await server.said(/^(.*)\n/)))
  // Two calls wait 30 s each while it runs. It ends when the directory is removed.
  const command = run(`echo ran >> ${ran}; while [ -e ${ran} ]; do sleep 0.2; done`)
  const answered = await client.call(
    'run_command',
    command,
    stateOf(await client.call('run_command', command)),
  )
  expect(outputOf(answered)).toContain('run-')
  const opened = await client.call('open_sandbox', {})
  const other = run('echo other', opened.result?.structuredContent?.sandbox)
  const refused = await client.call('run_command', other, stateOf(await client.call('run_command', other)))
  expect(outputOf(refused)).toContain('(POOL_FULL)')
  server.child.kill('SIGKILL')
  await server.ended
  const states = (await fileLedger(path).list()).map(({ kind, state }) => [kind, state])
  expect(states).toContainEqual(['code', 'unknown'])
  expect(await readFile(ran, 'utf8')).toBe('ran\n')
})
