import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { requirement, rowTags, temporaryEntries } from '@fenced/testing'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'

// Each example is run as it stands; only the model has its answers ready.

const environment = process.env.FENCED_TEST_JUPYTER ?? ''
const matplotlib = requirement(
  'jupyter',
  problemOf(join(environment, 'bin/python'), ['-c', 'import matplotlib']),
)
const bubblewrap = requirement(
  'bubblewrap',
  problemOf('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true']),
)
const image = 'fenced-test/python'
const docker = requirement('docker', problemOf('docker', ['image', 'inspect', image]))
const directory = await mkdtemp(join(tmpdir(), 'fenced-examples-'))
afterAll(() => rm(directory, { recursive: true }))

function problemOf(program: string, args: readonly string[]): string | undefined {
  try {
    execFileSync(program, args)
    return undefined
  } catch (error) {
    return `${program} ${args.join(' ')} does not work here: ${error}`
  }
}

function argumentsOf(name: string): string[] {
  const here = import.meta.dirname
  const provider = join(here, 'scripted-provider.ts')
  return ['--conditions=@fenced/source', '--import', provider, resolve(here, name)]
}

async function run(name: string, { input = '', env = {} } = {}): Promise<string> {
  const run = Promise.withResolvers<string>()
  const options = { cwd: directory, env: { ...process.env, ...env }, timeout: 50_000 }
  const child = execFile(process.execPath, argumentsOf(name), options, (error, stdout, stderr) =>
    error === null ? run.resolve(stdout) : run.reject(new Error(`${stdout}\n${stderr}`, { cause: error })),
  )
  child.stdin?.end(input)
  return run.promise
}

describe.skipIf(bubblewrap.missing)('an example prints what it says', { concurrent: true }, () => {
  it('generate-text.ts', async () => {
    expect(await run('generate-text.ts')).toBe('The program says: 302\n')
  })

  it('chat-with-variables.ts', { tags: 'nightly' }, async () => {
    expect(await run('chat-with-variables.ts')).toBe(
      'The program says: [1, 4, 9, 16, 25]\nThe program says: 55\n',
    )
  })

  it('stream-text.ts', { tags: 'nightly' }, async () => {
    const lines = (await run('stream-text.ts')).trimEnd().split('\n')
    expect(lines[0]).toMatch(/^ {2}so far: "1(\\n)?"$/)
    expect(lines.slice(-6)).toEqual(['  ok: 1', '2', '3', 'The program says: 1', '2', '3'])
  })

  it('run-while-it-writes.ts', { tags: 'nightly' }, async () => {
    expect(await run('run-while-it-writes.ts')).toBe('[1, 4, 9, 16, 25]\n1 block: ok\n')
  })

  it.each([
    ['y', 'The program says: 0'],
    ['n', 'Then I cannot tell.'],
  ])('ask-a-person.ts, who says %s', rowTags({ nightly: ['who says y'] }), async (input, end) => {
    const output = await run('ask-a-person.ts', { input: `${input}\n` })
    expect(output).toContain('import os\nprint(len(')
    expect(output).toContain('Run it? [y/N] ')
    expect(output.trimEnd().endsWith(end)).toBe(true)
  })

  it('kept-session.ts', { tags: 'nightly' }, async () => {
    expect(await run('kept-session.ts')).toMatch(/^The program says: saved\n[\s\S]*\nThe program says: 42\n$/)
  })

  it('sandbox-per-user.ts', { tags: 'nightly' }, async () => {
    const env = { ...process.env, PORT: '0', USERS: JSON.stringify({ one: 'ada', two: 'bob' }) }
    const child = spawn(process.execPath, argumentsOf('sandbox-per-user.ts'), { cwd: directory, env })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
    const url = `${line}`.trim()
    const ask = async (token: string, body: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await fetch(url, { method: 'POST', headers, body })
      return `${answer.status} ${await answer.text()}`
    }
    expect(await ask('three', 'Save the number 42.')).toBe('401 Log in first.')
    expect(await ask('one', 'Save the number 42 to number.txt.')).toContain('200 The program says: saved')
    expect(await ask('one', 'Read number.txt.')).toBe('200 The program says: 42')
    expect(await ask('two', 'Read number.txt.')).toContain('FileNotFoundError')
    child.kill('SIGTERM')
    await once(child, 'close')
    expect(child.exitCode).toBe(0)
  })

  it('call-tools.ts', { tags: 'nightly' }, async () => {
    const lines = (await run('call-tools.ts')).trimEnd().split('\n')
    expect(lines[0]).toBe('A program (line 2) wants to call the tool sales with {"month":1}.')
    expect(lines).toHaveLength(13)
    expect(lines.at(-1)).toBe('The program says: 3')
  })

  it('code-mode.ts', { tags: 'nightly' }, async () => {
    expect(await run('code-mode.ts')).toBe('The program says: 3\n')
  })

  it('sandbox-session.ts', { tags: 'nightly' }, async () => {
    expect(await run('sandbox-session.ts')).toBe('The program says: 3\n')
  })

  it.skipIf(matplotlib.missing)('show-a-picture.ts', { tags: 'nightly' }, async () => {
    const env = { VIRTUAL_ENV: environment }
    expect(await run('show-a-picture.ts', { env })).toBe('I see: text and image/png\n')
  })

  it('web-response.ts', { tags: 'nightly' }, async () => {
    const server = join(directory, 'server.mjs')
    await writeFile(server, serverOf(join(import.meta.dirname, 'web-response.ts')))
    const output = await run(server)
    const parts = output
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice('data: '.length)))
    expect(parts.find(({ type }) => type === 'tool-output-available')).toMatchObject({
      output: expect.objectContaining({ output: expect.stringContaining('302') }),
    })
    const text = parts.filter(({ type }) => type === 'text-delta').map(({ delta }) => delta)
    expect(text.join('')).toBe('The program says: 302')
  })
})

// In the image of the test engines.
describe.skipIf(docker.missing)('an example with a container prints what it says', () => {
  it('docker-approval.ts', { tags: 'nightly' }, async () => {
    const copies = join(import.meta.dirname, 'dist')
    await mkdir(copies, { recursive: true })
    const program = await readFile(join(import.meta.dirname, 'docker-approval.ts'), 'utf8')
    const copy = join(copies, 'docker-approval.ts')
    await writeFile(copy, program.replace('python:3-slim', image))
    const output = await run(copy, { input: 'y\n' }).finally(() => rm(copies, { recursive: true }))
    expect(output).toContain('in a container')
    expect(output.trimEnd().endsWith('The program says: 302')).toBe(true)
  })
})

describe('an example that asks for isolation', { concurrent: true }, async () => {
  const names = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.ts'))
  const sources = await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(import.meta.dirname, name), 'utf8') })),
  )
  const running = sources.filter(({ name, text }) => text.includes('new Local') && !name.includes('test'))

  it('is every example that runs code', () => {
    expect(running.length).toBeGreaterThan(8)
    expect(running.filter(({ text }) => !text.includes("isolation: 'bubblewrap'"))).toEqual([])
  })

  // The route, and the sessions of users: others hand the error to their model.
  it.each([{ name: 'kept-session.ts' }, { name: 'web-response.ts' }])(
    'fails where there is none, runs nothing, and says what to install: $name',
    rowTags({ nightly: ['web-response'] }),
    async ({ name }) => {
      const place = await mkdtemp(join(directory, 'without-bubblewrap-'))
      const [bin, temporary] = [join(place, 'bin'), join(place, 'tmp')]
      for (const path of [bin, temporary]) await mkdir(path)
      for (const program of ['python3', 'sh']) await symlink(`/usr/bin/${program}`, join(bin, program))
      const file = name === 'web-response.ts' ? join(place, 'server.mjs') : name
      if (file !== name) await writeFile(file, serverOf(join(import.meta.dirname, name)))
      const failed = await run(file, { env: { PATH: bin, TMPDIR: temporary } }).catch((error: Error) => error)
      expect(failed).toBeInstanceOf(Error)
      const { message } = failed as Error
      expect(message).toContain("code: 'ISOLATION_UNAVAILABLE'")
      expect(message).toContain("program: 'bwrap'")
      expect(message).not.toMatch(/The program says: (saved|302)/)
      expect(temporaryEntries(temporary)).toEqual([])
    },
  )
})

/** A server with the route, and one request to it, whose answer is printed. */
function serverOf(route: string): string {
  return `
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { POST } from ${JSON.stringify(route)}

const server = createServer(async (request, response) => {
  const body = JSON.stringify(await json(request))
  const answer = await POST(new Request('http://127.0.0.1/', { method: 'POST', body }))
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  Readable.fromWeb(answer.body).pipe(response)
}).listen(0, '127.0.0.1', async () => {
  const message = { id: '1', role: 'user', parts: [{ type: 'text', text: 'How many digits has 2 to the power of 1000?' }] }
  const answer = await fetch('http://127.0.0.1:' + server.address().port, { method: 'POST', body: JSON.stringify({ messages: [message] }) })
  process.stdout.write(await answer.text())
  server.close()
})
`
}
