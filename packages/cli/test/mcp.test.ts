// @module-tag all

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Notice } from '@fenced/core'
import { rowTags } from '@fenced/testing'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { anywhere, FencedCommand, fenced } from './command.ts'
import { bubblewrap, docker, image, jupyter, jupyterPython, python } from './requirements.ts'

const main = join(import.meta.dirname, '../src/main.ts')
/** A picture of one pixel, as base64. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
/** JSON-RPC 2.0. */
const internalError = -32_603
const revisions = { 'of 2025': 'legacy', 'of 2026': 'auto' } as const

interface ClientParts {
  readonly mode: 'legacy' | 'auto'
  /** What the person at the client answers; absent for a client that cannot ask. */
  readonly answer?: (question: string) => { action: 'accept' | 'decline'; content?: { allow: boolean } }
}

async function connected(transport: Transport, { mode, answer }: ClientParts): Promise<Client> {
  const capabilities = answer === undefined ? {} : { elicitation: {} }
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode } },
  )
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message))
  }
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

function overStdio(args: readonly string[], parts: ClientParts): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--conditions=@fenced/source', main, 'mcp', ...args],
    env: process.env as Record<string, string>,
  })
  return connected(transport, parts)
}

/** A server over HTTP, and what it has printed of itself. */
async function httpServer(args: readonly string[] = []): Promise<{ url: string; token: string }> {
  const command = new FencedCommand(['mcp', '--http', ...anywhere, ...args])
  onTestFinished(async () => {
    command.child.kill('SIGTERM')
    expect((await command.ended).code).toBe(143)
  })
  return new Promise((resolve) => {
    command.child.stderr.once('data', (text: string) => resolve(JSON.parse(text)))
  })
}

function overHttp({ url, token }: { url: string; token: string }, parts: ClientParts): Promise<Client> {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  return connected(new StreamableHTTPClientTransport(new URL(url), { requestInit }), parts)
}

function noticesIn(structuredContent: unknown): Notice[] {
  return (structuredContent as { notices: Notice[] }).notices
}

async function call(client: Client, name: string, input: Record<string, unknown>) {
  const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: input })
  const [first] = content
  return { text: first?.type === 'text' ? first.text : '', content, structuredContent, isError }
}

const rows = rowTags({
  nightly: [
    { in: 'of 2025', except: ['runs code'] },
    'keeps files from',
    'a large directory',
    'a program that left many',
    'tells progress',
    'stops what runs beside',
  ],
})

describe.each(Object.entries(revisions))('fenced mcp, for a client %s', rows, (_, mode) => {
  it.skipIf(python.missing)('runs code, with its end as data', async () => {
    const client = await overStdio(anywhere, { mode })
    expect(client.getInstructions()).toMatch(/ Files stay from one call to the next\.$/)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'cancel_run',
      'edit_file',
      'execute_code',
      'get_run',
      'list_files',
      'read_file',
      'run_command',
      'search_files',
      'stop',
      'write_file',
    ])
    for (const { name, annotations, outputSchema } of tools) {
      expect(annotations, name).toMatchObject({ openWorldHint: expect.any(Boolean) })
      expect(outputSchema === undefined, name).toBe(['read_file', 'stop'].includes(name))
    }
    expect(await call(client, 'execute_code', { code: 'print(6 * 7)', language: 'python' })).toMatchObject({
      text: '42',
      isError: false,
      structuredContent: { status: 'ok', exitCode: 0, output: '42\n' },
    })
    const failed = await call(client, 'run_command', { command: 'echo no >&2; exit 3' })
    expect(failed).toMatchObject({ isError: true, structuredContent: { status: 'error', exitCode: 3 } })
  })

  it('keeps files from call to call, and reads and writes them', async () => {
    const client = await overStdio(anywhere, { mode })
    await call(client, 'write_file', { path: 'a/text.txt', content: 'naïve' })
    await call(client, 'write_file', { path: 'bytes', content: 'AP8=', encoding: 'base64' })
    expect((await call(client, 'run_command', { command: 'cat a/text.txt' })).text).toBe('naïve')
    expect((await call(client, 'read_file', { path: 'a/text.txt' })).text).toBe('naïve')
    expect((await call(client, 'read_file', { path: 'bytes' })).content).toMatchObject([
      { type: 'resource', resource: { blob: 'AP8=' } },
    ])
    expect(await call(client, 'write_file', { path: 'half', content: 'a\ud83d' })).toMatchObject({
      isError: true,
    })
    await call(client, 'run_command', { command: 'echo : > run.sh; chmod 755 run.sh' })
    await call(client, 'write_file', { path: 'run.sh', content: 'echo ran' })
    expect((await call(client, 'run_command', { command: './run.sh; rm run.sh; ls half' })).text).toContain(
      'ran',
    )
    const windows = { command: 'if true; then\r\necho yes\r\nfi\r\n' }
    expect((await call(client, 'run_command', windows)).text).toBe('yes')
    await call(client, 'write_file', { path: 'a/dot.png', content: picture, encoding: 'base64' })
    expect((await call(client, 'read_file', { path: 'a/dot.png' })).content).toEqual([
      { type: 'image', mimeType: 'image/png', data: picture },
    ])
    expect((await call(client, 'list_files', {})).structuredContent).toEqual({
      entries: [
        { name: 'a', kind: 'directory', sizeBytes: 0 },
        { name: 'bytes', kind: 'file', sizeBytes: 2 },
      ],
    })
    for (const [name, path] of [
      ['read_file', 'nothing'],
      ['read_file', '../../etc/passwd'],
      ['list_files', 'nothing'],
    ] as const)
      expect(await call(client, name, { path }), path).toMatchObject({ isError: true })
    await call(client, 'run_command', { command: 'head -c 2000000 /dev/zero > large' })
    expect(await call(client, 'read_file', { path: 'large' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('1048576'),
    })
  })

  it('edits the one place that is named, finds lines, and links what a program wrote', async () => {
    const client = await overStdio(anywhere, { mode })
    await call(client, 'write_file', { path: 'a/b.txt', content: 'one\ntwo\r\none moreee\n' })
    const edit = (old_text: string, new_text: string, path = 'a/b.txt') =>
      call(client, 'edit_file', { path, old_text, new_text })
    expect((await edit('two', '$& 2')).structuredContent).toEqual({ path: 'a/b.txt', sizeBytes: 21 })
    for (const [old, path] of [['one'], ['ee'], ['three'], ['two\n'], ['x', 'none']] as const)
      expect(await edit(old, 'x', path), old).toMatchObject({ isError: true })
    expect((await call(client, 'read_file', { path: 'a/b.txt' })).text).toBe('one\n$& 2\r\none moreee\n')
    const search = (text: string, path = '.') => call(client, 'search_files', { text, path })
    expect((await search('one')).structuredContent).toEqual({
      matches: [
        { path: 'a/b.txt', line: 1, text: 'one' },
        { path: 'a/b.txt', line: 3, text: 'one moreee' },
      ],
      isComplete: true,
    })
    expect((await search('.*')).structuredContent).toEqual({ matches: [], isComplete: true })
    for (const path of ['none', '/etc', '..'])
      expect(await search('one', path)).toMatchObject({ isError: true })
    await call(client, 'run_command', { command: 'for i in $(seq 300); do echo needle; done > many' })
    const many = (await search('needle')).structuredContent as { matches: unknown[]; isComplete: boolean }
    expect([many.matches.length, many.isComplete]).toEqual([200, false])
    const { content } = await call(client, 'run_command', { command: 'echo 42 > "new file"' })
    expect(content.at(-1)).toEqual({
      type: 'resource_link',
      uri: 'fenced://default/new%20file',
      name: 'new file',
      size: 3,
    })
  })

  it('searches a bounded number of directories', { tags: 'nightly' }, async () => {
    const client = await overStdio(anywhere, { mode })
    await call(client, 'run_command', { command: 'mkdir $(seq 3000)' })
    const { structuredContent } = await call(client, 'search_files', { text: 'x' })
    expect(structuredContent).toEqual({ matches: [], isComplete: false })
  })

  it.skipIf(python.missing)('lists the first names of a large directory, and counts the others', async () => {
    const client = await overStdio(anywhere, { mode })
    const code = 'import os\nfor name in range(20_000): os.close(os.open("%06d" % name, os.O_CREAT))'
    expect(await call(client, 'execute_code', { code, language: 'python' })).toMatchObject({ isError: false })
    const { text, structuredContent } = await call(client, 'list_files', {})
    expect(structuredContent).toMatchObject({ omitted: 19_500 })
    const { entries = [] } = structuredContent as { entries?: { name: string }[] }
    expect([entries.length, entries.at(0)?.name, entries.at(-1)?.name]).toEqual([500, '000000', '000499'])
    expect(text.length).toBeLessThan(20_000)
    const long =
      'import os\nfor name in os.listdir(): os.remove(name)\nfor name in range(300): os.close(os.open("%0250d" % name, os.O_CREAT))'
    await call(client, 'execute_code', { code: long, language: 'python' })
    const listed = await call(client, 'list_files', {})
    expect(listed.structuredContent).toMatchObject({ omitted: 220 })
    expect(listed.text.length).toBeLessThan(30_000)
  })

  it.skipIf(python.missing)(
    'names the first files of a program that left many, and counts the others',
    async () => {
      const client = await overStdio(anywhere, { mode })
      const code = 'for name in range(600): open(str(name), "w").close()'
      const { structuredContent } = await call(client, 'execute_code', { code, language: 'python' })
      expect(structuredContent).toMatchObject({ status: 'ok', omittedFiles: 100 })
      expect((structuredContent as { files?: unknown[] }).files).toHaveLength(500)
    },
  )

  it('has the files of the sandbox as resources', async () => {
    const client = await overStdio(anywhere, { mode })
    expect((await client.listResources()).resources).toEqual([])
    await call(client, 'write_file', { path: 'a/text 1.txt', content: 'naïve' })
    await call(client, 'write_file', { path: 'bytes', content: 'AP8=', encoding: 'base64' })
    const { resources } = await client.listResources()
    expect(resources.map(({ uri, name }) => [uri, name])).toEqual([
      ['fenced://default/bytes', 'bytes'],
      ['fenced://default/a/text%201.txt', 'a/text 1.txt'],
    ])
    const read = async (uri: string) => (await client.readResource({ uri })).contents
    expect(await read('fenced://default/a/text%201.txt')).toMatchObject([{ text: 'naïve' }])
    expect(await read('fenced://default/bytes')).toMatchObject([{ blob: 'AP8=' }])
    for (const uri of ['default/nothing', 'default/../../etc/passwd', 'other/bytes'])
      await expect(read(`fenced://${uri}`), uri).rejects.toThrow()
    for (const uri of ['default/%ZZ', `default/${'a'.repeat(5_000)}`])
      await expect(read(`fenced://${uri}`), uri).rejects.not.toMatchObject({ code: internalError })
    await call(client, 'run_command', { command: 'head -c 2000000 /dev/zero > large' })
    await expect(read('fenced://default/large')).rejects.toThrow('1048576')
  })

  it('names files and tells progress with hidden characters as escapes, and keeps the names in its data', async () => {
    const client = await overStdio(anywhere, { mode })
    const path = 'a\u202E\nb'
    await call(client, 'write_file', { path, content: '42' })
    const listed = await call(client, 'list_files', {})
    expect(listed.text).toBe('a[U+202E]␊b (file, 2 bytes)')
    expect(listed.structuredContent).toEqual({ entries: [{ name: path, kind: 'file', sizeBytes: 2 }] })
    expect((await client.listResources()).resources).toMatchObject([{ name: 'a[U+202E]␊b' }])
    expect((await call(client, 'read_file', { path: 'no\u200B' })).text).toBe('There is no file no[U+200B].')
    const messages: unknown[] = []
    const command = "printf '\\033[2Jbegun\\n'; while ! test -e end; do sleep 0.05; done"
    const running = client.callTool(
      { name: 'run_command', arguments: { command } },
      {
        onprogress: ({ message }) => {
          messages.push(message)
          void call(client, 'write_file', { path: 'end', content: '' })
        },
      },
    )
    expect((await running).structuredContent).toMatchObject({ output: '\u001B[2Jbegun\n' })
    expect(messages[0]).toBe('␛[2Jbegun\n')
  })

  it.skipIf(jupyter.missing)('shows the pictures of a kernel, whose variables stay', async () => {
    const client = await overStdio(['--executor', 'jupyter', '--python', jupyterPython], { mode })
    await call(client, 'execute_code', { code: `import base64; dot = base64.b64decode('${picture}')` })
    const code = 'from IPython.display import Image; Image(data=dot)'
    const { content, isError } = await call(client, 'execute_code', { code })
    expect(isError).toBe(false)
    expect(content.at(-1)).toMatchObject({ type: 'image', mimeType: 'image/png', data: picture })
  })

  it('says how a program goes on, and ends one that is cancelled', async () => {
    const client = await overStdio(anywhere, { mode })
    const cancelled = new AbortController()
    const messages: unknown[] = []
    const running = client.callTool(
      { name: 'run_command', arguments: { command: 'echo begun; sleep 600' } },
      {
        signal: cancelled.signal,
        onprogress: ({ message }) => {
          messages.push(message)
          cancelled.abort()
        },
      },
    )
    await expect(running).rejects.toThrow()
    expect(messages).toEqual(['begun\n'])
    expect((await call(client, 'run_command', { command: 'echo free' })).text).toBe('free')
  })

  it('ends a program at the limit of --timeout', async () => {
    const limited = [...anywhere, '--timeout', '0.3']
    const clients = [
      await overStdio(limited, { mode }),
      await overHttp(await httpServer(['--timeout', '0.3']), { mode }),
    ]
    for (const client of clients) {
      const ended = await call(client, 'run_command', { command: 'sleep 600' })
      expect([ended.isError, ended.text]).toEqual([true, expect.stringContaining('--timeout')])
    }
  })

  it('stops what runs beside', async () => {
    const client = await overStdio(anywhere, { mode })
    const running = call(client, 'run_command', { command: 'touch begun; sleep 600' })
    let names: string[] = []
    while (!names.includes('begun')) {
      const { structuredContent } = await call(client, 'list_files', {})
      names = (structuredContent as { entries: { name: string }[] }).entries.map(({ name }) => name)
    }
    expect((await call(client, 'stop', {})).isError).toBe(false)
    expect((await running).structuredContent).toMatchObject({ status: 'cancelled' })
    expect((await call(client, 'run_command', { command: 'ls' })).text).toContain('begun')
  })

  it('answers a message that is too large with an error, and keeps the sandbox', async () => {
    const client = await overStdio(anywhere, { mode })
    await call(client, 'write_file', { path: 'kept', content: '42' })
    const content = 'x'.repeat(12 * 2 ** 20)
    await expect(call(client, 'write_file', { path: 'large', content })).rejects.toMatchObject({
      code: -32_000,
    })
    expect((await call(client, 'run_command', { command: 'ls; cat kept' })).text).toBe('kept\n42')
  })

  it('lets a person decide about each program and file', async () => {
    const questions: string[] = []
    const client = await overStdio([...anywhere, '--ask'], {
      mode,
      answer: (question) => {
        questions.push(question)
        if (question.includes('secret')) return { action: 'decline' }
        return { action: 'accept', content: { allow: !question.includes('rm') } }
      },
    })
    expect((await call(client, 'run_command', { command: 'echo 42' })).text).toBe('42')
    for (const command of ['rm -rf everything', 'cat secret'])
      expect(await call(client, 'run_command', { command })).toMatchObject({
        isError: true,
        text: 'A person decided not to run it.',
      })
    expect(await call(client, 'write_file', { path: 'kept', content: 'naïve\n' })).toMatchObject({
      isError: false,
    })
    for (const file of [
      { path: 'secret', content: '' },
      { path: 'other', content: 'rm -r *' },
    ])
      expect(await call(client, 'write_file', file)).toMatchObject({
        isError: true,
        text: 'A person decided not to write it.',
      })
    await call(client, 'write_file', { path: 'bytes', content: 'AP8=', encoding: 'base64' })
    // Reading changes nothing.
    const { structuredContent } = await call(client, 'list_files', {})
    expect(structuredContent).toMatchObject({ entries: [{ name: 'bytes' }, { name: 'kept' }] })
    const where = 'on this machine, not isolated, with a network (local)?'
    expect(questions).toEqual([
      `May this program (sh) run ${where}\n\necho 42`,
      `May this program (sh) run ${where}\n\nrm -rf everything`,
      `May this program (sh) run ${where}\n\ncat secret`,
      `May the file kept (7 bytes) be written on this machine, not isolated (local)?\n\nnaïve\n`,
      `May the file secret (0 bytes) be written on this machine, not isolated (local)?\n\n`,
      `May the file other (7 bytes) be written on this machine, not isolated (local)?\n\nrm -r *`,
      expect.stringMatching(/^May the file bytes \(2 bytes\) be written .*\n\n.* SHA-256 is 06eb7d6a/s),
    ])
  })

  it('runs nothing where a person should be asked and the client cannot', async () => {
    const client = await overStdio([...anywhere, '--ask'], { mode })
    expect(await call(client, 'run_command', { command: 'touch ran' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('(APPROVAL_UNAVAILABLE)'),
    })
    expect(await call(client, 'write_file', { path: 'written', content: '' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('elicitation'),
    })
    expect((await call(client, 'list_files', {})).structuredContent).toEqual({ entries: [] })
  })

  it('opens sandboxes over HTTP for those who have their handle, each with its own files', async () => {
    const server = await httpServer()
    const [one, two] = [await overHttp(server, { mode }), await overHttp(server, { mode })]
    const opened = async (client: Client) => {
      const { structuredContent } = await call(client, 'open_sandbox', {})
      return (structuredContent as { sandbox: string }).sandbox
    }
    const [mine, other] = [await opened(one), await opened(two)]
    await call(one, 'write_file', { path: 'mine', content: '42', sandbox: mine })
    expect((await call(two, 'read_file', { path: 'mine', sandbox: mine })).text).toBe('42')
    const { contents } = await two.readResource({ uri: `fenced://${mine}/mine` })
    expect(contents).toMatchObject([{ text: '42' }])
    for (const input of [{}, { sandbox: other }, { sandbox: 'sandbox-guessed' }, { sandbox: 'default' }])
      expect(await call(two, 'read_file', { path: 'mine', ...input })).toMatchObject({ isError: true })
    await expect(two.readResource({ uri: `fenced://${other}/mine` })).rejects.toThrow()
    expect(await call(one, 'close_sandbox', { sandbox: mine })).toMatchObject({ isError: false })
    expect(await call(one, 'run_command', { command: 'ls', sandbox: mine })).toMatchObject({
      isError: true,
      text: expect.not.stringContaining(mine),
    })
  })
})

describe('the README', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  const rows = readme.match(/\| client \| what to do \|\n.*\n((?:\| .*\n)+)/)?.[1] ?? ''
  const clients = [...rows.matchAll(/^\| (.+?) \| `(.+)` \|$/gm)].map(([, client = '', line = '']) => ({
    client,
    argv: commandIn(line),
  }))

  it('has a line for each of four clients', () => {
    expect(clients.map(({ client }) => client)).toEqual([
      'Claude Code',
      'Codex',
      'VS Code',
      'Cursor, and others',
    ])
  })

  it.skipIf(bubblewrap.missing).each(clients)(
    'lets $client start the server',
    rowTags({ nightly: ['Codex', 'VS Code', 'Cursor'] }),
    async ({ argv: [command, ...args] }) => {
      expect([command, ...args.slice(0, 3)]).toEqual(['npx', '-y', '@fenced/cli', 'mcp'])
      const client = await overStdio(args.slice(3), { mode: 'auto' })
      expect(client.getInstructions()).toContain('in bubblewrap, without network')
      expect(client.getServerVersion()?.description).toMatch(/^Runs code in bubblewrap, .* Bubblewrap works/)
    },
  )
})

/** The command that a client runs after a line of configuration: what stands behind `--`, or in JSON. */
function commandIn(line: string): string[] {
  const [json] = /\{.*\}/.exec(line) ?? []
  if (json === undefined) return line.split(' -- ')[1]?.split(' ') ?? []
  const { mcpServers, ...server } = JSON.parse(json)
  const { command, args } = mcpServers?.fenced ?? server
  return [command, ...args]
}

describe.skipIf(bubblewrap.missing || python.missing)('fenced mcp --network', () => {
  it('lets code reach the hosts of its list, and says so to the model', async () => {
    const network = ['--network', 'one.invalid']
    const client = await overStdio(['--isolation', 'bubblewrap', ...network], { mode: 'auto' })
    expect(client.getInstructions()).toContain('a network that reaches only one.invalid')
    const code = `import urllib.error, urllib.request
for host in ['one.invalid', 'two.invalid']:
    try: urllib.request.urlopen('http://%s/' % host)
    except urllib.error.HTTPError as error: print(error.code, error.reason)`
    const { text } = await call(client, 'execute_code', { code, language: 'python' })
    // A listed one is resolved, which is why it is not reached.
    expect(text).toMatch(/^502 .*\n403 two.invalid is not in the network list of this sandbox/)
  })
})

it('refuses unknown arguments and wrong base64, and does nothing', async () => {
  const client = await overStdio(anywhere, { mode: 'auto' })
  for (const [name, input, unknown] of [
    ['execute_code', { code: 'echo > made', langauge: 'sh', timeout: 5 }, 'langauge'],
    ['run_command', { command: 'echo > made', cwd: '/' }, 'cwd'],
    ['write_file', { path: 'made', content: 'AAEC', enc: 'base64' }, 'enc'],
    ['read_file', { path: 'made', lines: 1 }, 'lines'],
    ['list_files', { directory: '.' }, 'directory'],
    ['stop', { force: true }, 'force'],
    ['write_file', { path: 'made', content: 'plain text', encoding: 'base64' }, 'base64'],
    ['write_file', { path: 'made', content: 'data:image/png;base64,AAEC', encoding: 'base64' }, 'base64'],
    ['write_file', { path: 'made', content: 'AAECA', encoding: 'base64' }, 'base64'],
  ] as const) {
    const { text, isError } = await call(client, name, input)
    expect({ isError, text }, name).toEqual({ isError: true, text: expect.stringContaining(unknown) })
  }
  expect((await call(client, 'execute_code', { code: 'x', langauge: 'sh' })).text).toContain('`language`')
  expect((await call(client, 'list_files', {})).structuredContent).toEqual({ entries: [] })
})

it.skipIf(process.platform !== 'linux')(
  'keeps Python variables with --stateful, and undoes programs',
  async () => {
    const client = await overStdio([...anywhere, '--stateful'], { mode: 'auto' })
    const run = (code: string) => call(client, 'execute_code', { code, language: 'python' })
    await run('x = [1]')
    await run('x.append(2)')
    expect((await call(client, 'list_variables', {})).structuredContent).toMatchObject({
      variables: [{ name: 'x', type: 'list', preview: '[1, 2]' }],
    })
    const undone = 'Block 2 was undone. Variables and files are as after block 1.'
    expect((await call(client, 'undo', {})).text).toBe(undone)
    expect((await run('print(x)')).text).toBe('[1]')
    expect(await call(client, 'undo', { steps: 9 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('NO_CHECKPOINT'),
    })
  },
)

it.skipIf(process.platform !== 'linux')(
  'keeps the variables of each handle over HTTP, for clients of both revisions that have the handle',
  async () => {
    const server = await httpServer(['--stateful'])
    const [one, two] = [await overHttp(server, { mode: 'auto' }), await overHttp(server, { mode: 'legacy' })]
    const opened = async (client: Client) => {
      const { structuredContent } = await call(client, 'open_sandbox', {})
      return (structuredContent as { sandbox: string }).sandbox
    }
    const [mine, other] = [await opened(one), await opened(two)]
    const run = (client: Client, code: string, sandbox: string) =>
      call(client, 'execute_code', { code, language: 'python', sandbox })
    const variables = async (client: Client, input: object) => {
      const { structuredContent } = await call(client, 'list_variables', { ...input })
      const { variables } = structuredContent as { variables: { name: string; preview: string }[] }
      return variables.map(({ name, preview }) => `${name} = ${preview}`)
    }
    await Promise.all([run(one, 'x = "mine"', mine), run(two, 'x = "other"', other)])
    await run(one, 'x = "spoiled"', mine)
    await run(two, 'y = 2', other)
    const undone = 'Block 2 was undone. Variables and files are as after block 1.'
    expect((await call(one, 'undo', { sandbox: mine })).text).toBe(undone)
    expect(await variables(one, { sandbox: mine })).toEqual(["x = 'mine'"])
    expect(await variables(two, { sandbox: other })).toEqual(["x = 'other'", 'y = 2'])
    // A handle is a capability: another client that was given it continues the session.
    expect((await run(two, 'print(x)', mine)).text).toBe('mine')
    // Calls without a handle share a sandbox, which has variables of neither.
    expect(await variables(two, {})).toEqual([])
    const guessed = mine.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const refused = { isError: true, text: expect.stringContaining('No sandbox is open') }
    for (const [name, input] of [
      ['execute_code', { code: 'print(x)', language: 'python' }],
      ['list_variables', {}],
      ['undo', {}],
    ] as const)
      expect(await call(two, name, { ...input, sandbox: guessed }), name).toMatchObject(refused)
    await call(one, 'close_sandbox', { sandbox: mine })
    expect(await call(two, 'list_variables', { sandbox: mine })).toMatchObject(refused)
  },
)

it('a model reads what was lost, also where its program succeeds', async () => {
  const workDir = await mkdtemp(join(tmpdir(), 'fenced-mcp-'))
  onTestFinished(() => rm(workDir, { recursive: true, force: true }))
  const client = await overStdio([...anywhere, '--work-dir', workDir], { mode: 'auto' })
  await call(client, 'run_command', { command: 'true' })
  await rm(workDir, { recursive: true })
  const { text, structuredContent } = await call(client, 'run_command', { command: 'echo done' })
  expect(structuredContent).toMatchObject({ status: 'ok', output: 'done\n' })
  const [notice] = noticesIn(structuredContent)
  expect(notice?.code).toBe('work-dir-recreated')
  expect(text).toBe(`done\n\n${notice?.message}`)
})

it.skipIf(bubblewrap.missing)(
  'a program that isolation makes fail has the option that helps in its result',
  { tags: 'nightly' },
  async () => {
    const client = await overStdio(['--isolation', 'bubblewrap'], { mode: 'auto' })
    for (const [command, code, option] of [
      ['cat /home/nobody/data.csv', 'outside-work-dir', '--work-dir'],
      ["echo 'Could not resolve host: a.invalid' >&2; exit 6", 'no-network', '--network'],
    ] as const) {
      const { text, structuredContent } = await call(client, 'run_command', { command })
      expect(structuredContent).toMatchObject({ status: 'error', notices: [{ code }] })
      const advice = noticesIn(structuredContent)[0]?.data?.advice ?? ''
      expect(advice).toContain(option)
      expect(text.split(advice)).toHaveLength(2)
      expect(Object(structuredContent).output).not.toContain(advice)
    }
  },
)

describe.skipIf(docker.missing)('fenced mcp in a container', () => {
  let made = ''
  afterAll(() => void spawnSync('docker', ['image', 'rm', made]))

  // It needs the network, and an index of packages: the public one, or what the image's own pip is set to.
  it('has the packages that were asked for, and no network', { timeout: 180_000 }, async () => {
    const options = ['--executor', 'docker', '--image', image, '--packages', 'six==1.16.0']
    const client = await overStdio(options, { mode: 'auto' })
    expect(client.getInstructions()).toContain('in a container, without network')
    const code = "import os, six; print(six.__version__, os.listdir('/sys/class/net'))"
    const { text } = await call(client, 'execute_code', { code, language: 'python' })
    expect(text).toBe("1.16.0 ['lo']")
    const { text: container } = await call(client, 'run_command', { command: 'cat /etc/hostname' })
    const inspect = ['inspect', '--format', '{{.Image}}', container]
    made = spawnSync('docker', inspect, { encoding: 'utf8' }).stdout.trim()
    expect(made).toMatch(/^sha256:/)
  })
})

describe('fenced mcp --http', () => {
  it('answers nobody without the token, no other host and no page of another site', async () => {
    const { url, token } = await httpServer()
    const status = async (headers: Record<string, string>, address = url) => {
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: '{}',
      })
      await response.arrayBuffer()
      return response.status
    }
    const authorized = { Authorization: `Bearer ${token}` }
    expect(await status({})).toBe(401)
    expect(await status({ Authorization: `Bearer ${token.slice(1)}x` })).toBe(401)
    expect(await status({ ...authorized, Origin: 'https://example.com' })).toBe(403)
    expect(await status(authorized, url.replace('/mcp', '/other'))).toBe(404)
    expect(await status(authorized)).toBe(400)
    expect(await statusFor(url, { ...authorized, Host: 'example.com' })).toBe(403)
  })

  // A body without a type is refused only later (415).
  it('answers to the names of --allow-host as well, with the token', async () => {
    const { url, token } = await httpServer([
      '--allow-host',
      'Host.docker.internal',
      '--allow-host',
      'box.test',
    ])
    const authorized = { Authorization: `Bearer ${token}` }
    expect(await statusFor(url, { ...authorized, Host: 'host.docker.internal:8080' })).toBe(415)
    expect(await statusFor(url, { ...authorized, Host: 'box.test' })).toBe(415)
    expect(await statusFor(url, { Host: 'box.test' })).toBe(401)
    expect(await statusFor(url, { ...authorized, Host: 'other.test' })).toBe(403)
  })

  it('says at its start for which clients it can ask, and asks those', async () => {
    const command = new FencedCommand(['mcp', '--http', ...anywhere, '--ask'])
    onTestFinished(async () => {
      command.child.kill('SIGTERM')
      await command.ended
    })
    const server = JSON.parse(await command.said(/^(.*)\n/))
    expect(await command.said(/\n(fenced: .*2026-07-28.*)\n/)).toContain('elicitation')
    const answer = () => ({ action: 'accept', content: { allow: true } }) as const
    const [old, recent] = [
      await overHttp(server, { mode: 'legacy', answer }),
      await overHttp(server, { mode: 'auto', answer }),
    ]
    expect((await call(recent, 'run_command', { command: 'echo 42' })).text).toBe('42')
    expect((await call(old, 'run_command', { command: 'echo 42' })).text).toContain('(APPROVAL_UNAVAILABLE)')
  })

  it('refuses a body that is too large or no JSON, and goes on', async () => {
    const server = await httpServer()
    const broken = await fetch(server.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${server.token}` },
      body: '{',
    })
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { code: -32_700 } }])
    const text = `"${'x'.repeat(5 * 2 ** 20)}"`
    // With its length, and in chunks without it.
    for (const body of [text, new Blob([text]).stream()]) {
      const response = await fetch(server.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${server.token}` },
        body,
        duplex: 'half',
      })
      expect([response.status, await response.json()]).toMatchObject([413, { error: { code: -32_000 } }])
    }
    const client = await overHttp(server, { mode: 'auto' })
    expect((await call(client, 'run_command', { command: 'echo here' })).text).toBe('here')
  })

  it('is refused with a short token, a taken port and a working directory', { tags: 'nightly' }, async () => {
    const { url } = await httpServer()
    const taken = await fenced(['mcp', ...anywhere, '--http', '--port', new URL(url).port])
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining(` ${new URL(url).port} `)])
    const short = await fenced(['mcp', ...anywhere, '--http'], { env: { FENCED_MCP_TOKEN: 'short' } })
    expect([short.code, short.stderr]).toEqual([2, expect.stringContaining('FENCED_MCP_TOKEN')])
    const shared = await fenced(['mcp', '--http', '--work-dir', '.'])
    expect([shared.code, shared.stderr]).toEqual([2, expect.stringContaining('--work-dir')])
  })
})

/** `fetch` sends the host that it connects to, and no other. */
async function statusFor(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const { request } = await import('node:http')
  const sent = request(url, { method: 'POST', headers })
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
  sent.end('{}')
  return promise
}
