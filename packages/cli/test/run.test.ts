import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileLedger } from '@fenced/core'
import { DirectoryLease } from '@fenced/core/internal'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, expect, expectTypeOf, it, vi } from 'vitest'
import type { z } from 'zod'
import { commandLine } from '../src/command-line.ts'
import { type RunEvent, runEventSchema } from '../src/index.ts'
import { anywhere, commandWithoutTerminal, FencedCommand, fenced, terminalCommand } from './command.ts'
import { bubblewrap, docker, image, jupyter, jupyterPython, python } from './requirements.ts'

const blocks = (...codes: string[]) => codes.map((code) => `\`\`\`sh\n${code}\n\`\`\`\n`).join('\nand\n\n')

const directories: string[] = []
afterAll(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true }))))

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-cli-'))
  directories.push(directory)
  return directory
}

const rows = rowTags({
  all: ['refuses'],
  nightly: ['"--executor","local"', '"--port"', '"/not/there"', '"--work-dir"', '["walk"]'],
})

describe.concurrent('fenced run', () => {
  it('prints what the programs of a file print, and ends as the one that failed', async () => {
    const directory = await temporaryDirectory()
    const file = join(directory, 'answer.md')
    await writeFile(file, blocks('echo one', 'echo two >&2; exit 3', 'echo never'))
    expect(await fenced(['run', file, ...anywhere])).toEqual({
      code: 3,
      stdout: 'one\n',
      stderr: 'two\nfenced: Block 2 of 2 (sh) ended with exit code 3.\n',
    })
  })

  it('skips and names blocks that are not programs, and runs the programs', async () => {
    const shown = ['sql', 'http', 'r', 'pycon', 'tool_outputs', 'rust', ''].map(
      (label) => `~~~${label}\nx\n~~~\n`,
    )
    const input = `${shown.join('\n')}\n${blocks('echo one')}`
    const { code, stdout, stderr } = await fenced(['run', '-', ...anywhere], { input })
    expect([code, stdout]).toEqual([0, 'one\n'])
    // A line about each block.
    expect(stderr.trimEnd().split('\n')).toHaveLength(shown.length)
    expect(await fenced(['run', '-', ...anywhere], { input: '~~~rust\nx\n~~~\n' })).toMatchObject({
      code: 127,
    })
  })

  it('runs nothing of a file that is not UTF-8', async () => {
    const file = join(await temporaryDirectory(), 'latin1.md')
    await writeFile(file, Buffer.from(blocks('echo café'), 'latin1'))
    const { code, stdout, stderr } = await fenced(['run', file, ...anywhere])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('not UTF-8')
  })

  it('prints nothing else with --quiet', { tags: 'nightly' }, async () => {
    const ended = await fenced(['run', '-', ...anywhere, '--quiet'], { input: blocks('echo one; exit 3') })
    expect(ended).toEqual({ code: 3, stdout: 'one\n', stderr: '' })
  })

  it('prints what a program used with --usage', async () => {
    const { stderr } = await fenced(['run', '-', ...anywhere, '--usage'], { input: blocks('echo one') })
    expect(stderr).toMatch(/ used .+ of processor time, .+ of memory/)
  })

  it('runs a block of standard input as soon as its fence is closed', async () => {
    const command = new FencedCommand(['run', '-', ...anywhere])
    command.child.stdin.write(blocks('echo one'))
    await command.printed('one\n')
    command.child.stdin.end(blocks('echo two'))
    expect(await command.ended).toMatchObject({ code: 0, stdout: 'one\ntwo\n' })
  })

  it('keeps files where it is told to, and says that others were temporary', {
    tags: 'nightly',
  }, async () => {
    const directory = await temporaryDirectory()
    const input = blocks('echo 42 > answer.txt')
    const kept = await fenced(['run', '-', ...anywhere, '--work-dir', directory], { input })
    expect(kept.stderr).toBe('fenced: answer.txt was created (3 bytes).\n')
    expect(await readFile(join(directory, 'answer.txt'), 'utf8')).toBe('42\n')
    expect((await fenced(['run', '-', ...anywhere], { input })).stderr).toContain('--work-dir keeps them')
    expect(await readdir(directory)).toEqual(['answer.txt'])
  })

  it.skipIf(process.platform !== 'linux')('keeps Python variables with --stateful only', async () => {
    const input = '```python\nx = 41\n```\n```sh\necho beside\n```\n```python\nprint(x + 1)\n```\n'
    const kept = await fenced(['run', '-', ...anywhere, '--stateful'], { input })
    expect([kept.code, kept.stdout]).toEqual([0, 'beside\n42\n'])
    expect((await fenced(['run', '-', ...anywhere], { input })).stderr).toContain("name 'x' is not defined")
  })

  it('takes the directory of a sandbox with --allow-shared-work-dir only', async () => {
    const directory = await temporaryDirectory()
    const lease = new DirectoryLease({ isolation: 'bubblewrap' })
    lease.take(directory)
    const args = ['run', '-', ...anywhere, '--work-dir', directory]
    const refused = await fenced(args, { input: blocks('echo one') })
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain('WORK_DIR_SHARED')
    const shared = await fenced([...args, '--allow-shared-work-dir'], { input: blocks('echo one') })
    lease.release()
    expect(shared).toEqual({ code: 0, stdout: 'one\n', stderr: '' })
  })

  it('prints events as lines of JSON, as its schema has them', async () => {
    const input = blocks('echo one; echo two >&2; echo x > file', 'exit 3')
    const { code, stdout, stderr } = await fenced(['run', '-', ...anywhere, '--json'], { input })
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => runEventSchema.parse(JSON.parse(line)))
    expect([code, stderr]).toEqual([3, ''])
    expect(events[0]).toMatchObject({
      type: 'run-start',
      version: 1,
      executor: 'local',
      isolation: 'none',
      chosen: { by: 'options' },
    })
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['block-start', 'stdout', 'stderr', 'file', 'block-end']),
    )
    expect(events.at(-1)).toMatchObject({ type: 'execution-end', result: { status: 'error', exitCode: 3 } })
  })

  it('has a schema of every event that it can print', () => {
    // Programs have no tools.
    type Never = 'tool-call' | 'tool-result'
    type Described = z.infer<typeof runEventSchema>['type']
    expectTypeOf<Described>().toEqualTypeOf<Exclude<RunEvent['type'], Never>>()
  })

  it('stops a program in its time, and with Ctrl-C', { tags: 'all' }, async () => {
    const late = await fenced(['run', '-', ...anywhere, '--timeout', '2'], {
      input: blocks('echo begun; sleep 600'),
    })
    expect(late).toMatchObject({ code: 124, stdout: 'begun\n' })
    const command = new FencedCommand(['run', '-', ...anywhere])
    command.child.stdin.end(blocks('echo begun; sleep 600'))
    await command.printed('begun\n')
    command.child.kill('SIGINT')
    expect((await command.ended).code).toBe(130)
  })

  it('ends with its reader', { tags: 'nightly' }, async () => {
    const command = new FencedCommand(['run', '-', ...anywhere])
    command.child.stdin.end(blocks('while :; do echo more; done'))
    await command.printed('more\n')
    command.child.stdout.destroy()
    expect((await command.ended).code).toBe(141)
  })

  it.skipIf(python.missing)(
    'lets a browser open a port of the code while it runs',
    { tags: 'nightly' },
    async () => {
      const port = await freePort()
      const server = `import http.server\nhttp.server.HTTPServer(('127.0.0.1', ${port}), http.server.SimpleHTTPRequestHandler).handle_request()`
      const command = new FencedCommand(['run', '-', ...anywhere, '--port', `${port}`])
      command.child.stdin.end(`${blocks('echo page > index.html')}\n~~~python\n${server}\n~~~\n`)
      const url = await command.said(/can be opened at (\S+)/)
      // Its server listens a moment after the program began.
      const page = () => fetch(url).then((answer) => answer.text(), String)
      await vi.waitFor(async () => expect(await page()).toBe('page\n'), 120_000)
      expect((await command.ended).code).toBe(0)
      await expect(fetch(url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
    },
  )

  it('says that there is no code', async () => {
    expect(await fenced(['run', '-', ...anywhere], { input: 'No code.\n' })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'fenced: There is no code block.\n',
    })
  })

  it.each([
    [['run'], "'file'"],
    [['run', '-', '--executor', 'moon'], 'auto, local, docker, jupyter, kubernetes'],
    [['run', '-', '--timeout', 'soon'], 'soon'],
    [['run', '-', '--max-wait', '0'], '--max-wait'],
    [['run', '-', '--executor', 'local', '--image', 'x'], '--image'],
    [['run', '--packages', 'rich', '-'], '--executor docker'],
    [['run', '-', '--port', '70000'], '70000'],
    [['run', '-', '--port', '80', '--executor', 'jupyter'], 'jupyter'],
    [['run', '/not/there', ...anywhere], '/not/there'],
    [['run', '.', ...anywhere], '. is a directory.'],
    [['run', '-', '--work-dir', '/dev/null/x', ...anywhere], 'WORK_DIR_UNUSABLE'],
    [['walk'], "'walk'"],
  ])('refuses %j with exit code 2 and the reason', rows, async (args, reason) => {
    const { code, stdout, stderr } = await fenced(args, { input: blocks('echo one') })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(reason)
    expect(stderr).toMatch(/^fenced: /)
  })

  it('reads packages with commas between them', () => {
    const run = commandLine(() => {}).commands.find((command) => command.name() === 'run')
    run?.parseOptions(['--packages', 'numpy>=1,<3, pandas[excel,html],six', '--packages', 'rich'])
    expect(run?.opts().packages).toEqual(['numpy>=1,<3', 'pandas[excel,html]', 'six', 'rich'])
  })
})

describe('fenced run --executor', () => {
  it.skipIf(docker.missing)('docker runs the blocks in a container', async () => {
    const input = blocks('echo kept > file', 'cat file; ls /sys/class/net')
    const ended = await fenced(['run', '-', '-e', 'docker', '--image', image, '--quiet'], { input })
    expect(ended).toEqual({ code: 0, stdout: 'kept\nlo\n', stderr: '' })
  })

  it.skipIf(jupyter.missing)('jupyter runs them in one kernel', async () => {
    const input = '~~~python\nx = 6\n~~~\n\n~~~python\nx * 7\n~~~\n'
    const args = ['run', '-', '-e', 'jupyter', '--python', jupyterPython, '--quiet']
    expect(await fenced(args, { input })).toEqual({ code: 0, stdout: '42\n', stderr: '' })
  })
})

describe.concurrent('fenced extract', () => {
  const input = `${blocks('one', 'two')}\n~~~python\nthree\n~~~\n`

  it('prints code, all or some', async () => {
    expect(await fenced(['extract', '-'], { input })).toEqual({
      code: 0,
      stdout: 'one\n\ntwo\n\nthree\n',
      stderr: '',
    })
    for (const language of ['python', 'py'])
      expect((await fenced(['extract', '-', '--language', language], { input })).stdout).toBe('three\n')
    expect((await fenced(['extract', '-', '--block', '2'], { input })).stdout).toBe('two\n')
  })

  it('prints blocks as JSON', { tags: 'all' }, async () => {
    const { stdout } = await fenced(['extract', '-', '--json', '--language', 'python'], { input })
    expect(JSON.parse(stdout)).toMatchObject([{ language: 'python', code: 'three' }])
  })

  it('has the blocks that fenced run runs, and leaves drafts out with --reasoning', async () => {
    const draft = { input: `${blocks('one')}\n</think>\n\n${blocks('two')}\n\n(eg. <think></think>)\n` }
    expect((await fenced(['extract', '-'], draft)).stdout).toBe('one\n\ntwo\n')
    expect((await fenced(['extract', '-', '--reasoning'], draft)).stdout).toBe('two\n')
  })

  it('ends with 1 where there is none, and with 2 where the block is not there', {
    tags: 'all',
  }, async () => {
    expect(await fenced(['extract', '-'], { input: 'No code.' })).toEqual({ code: 1, stdout: '', stderr: '' })
    const { code, stderr } = await fenced(['extract', '-', '--block', '9'], { input })
    expect([code, stderr]).toEqual([2, 'fenced: Block 9 not found: the number of blocks in - is 3.\n'])
  })
})

describe.skipIf(bubblewrap.missing || python.missing)('fenced run --network', () => {
  const get = (...hosts: string[]) => `~~~python
import urllib.error, urllib.request
for host in ${JSON.stringify(hosts)}:
    try: urllib.request.urlopen('http://%s/' % host)
    except urllib.error.HTTPError as error: print(error.code, error.reason)
~~~
`
  const isolated = ['--isolation', 'bubblewrap', '--quiet']

  it('lets the code reach hosts that are listed, and no others', async () => {
    const args = ['run', '-', ...isolated, '--network', 'one.invalid,*.two.invalid']
    const { stdout } = await fenced(args, { input: get('one.invalid', 'a.two.invalid', 'three.invalid') })
    // A listed one is resolved, which is why it is not reached.
    expect(stdout).toMatch(/^502 .*\n502 .*\n403 three.invalid is not in the network list of this sandbox\n$/)
  })

  it('prints each connection as an event', { tags: 'nightly' }, async () => {
    const args = ['run', '-', ...isolated, '--json', '--network', 'one.invalid']
    const { stdout } = await fenced(args, { input: get('one.invalid', 'two.invalid') })
    const lines = stdout.trimEnd().split('\n')
    const events = lines.map((line) => runEventSchema.parse(JSON.parse(line)))
    const ended = events.flatMap((event) => (event.type === 'connection' ? [event.connection] : []))
    expect(ended.map(({ host, verdict }) => [host, verdict]).sort()).toEqual([
      ['one.invalid', 'failed'],
      ['two.invalid', 'refused'],
    ])
  })

  it('asks in the terminal about others', { tags: 'all' }, async () => {
    const directory = await temporaryDirectory()
    const file = join(directory, 'answer.md')
    await writeFile(file, get('one.invalid', 'one.invalid', 'two.invalid', 'two.invalid'))
    const command = terminalCommand(['run', file, ...isolated, '--network', 'ask'])
    await command.printed('connect to one.invalid, port 80. [y] once, [a] in this run, [n] no: ')
    command.child.stdin.write('a\n')
    const second = 'connect to two.invalid, port 80. [y] once, [a] in this run, [n] no: '
    await command.printed(second)
    // Neither word decides anything.
    command.child.stdin.write('ok\n')
    await command.printed(`${second}ok\r\nfenced: `)
    command.child.stdin.write('n\n')
    const { stdout } = await command.ended
    // Output can come behind the question, in its line.
    const answers = [...stdout.matchAll(/ {2}> (\d{3} [^\r\n]*)/g)].map(([, answer = '']) =>
      answer.slice(0, 22),
    )
    expect(answers).toEqual([
      expect.stringMatching(/^502 /),
      expect.stringMatching(/^502 /),
      '403 a person denied it',
      '403 a person denied it',
    ])
  })

  it('ends a program whose question has no answer within --max-wait', { tags: 'all' }, async () => {
    const directory = await temporaryDirectory()
    const file = join(directory, 'answer.md')
    await writeFile(file, get('one.invalid'))
    const args = ['run', file, '--isolation', 'bubblewrap', '--json', '--network', 'ask', '--max-wait', '2.5']
    const { stdout } = await terminalCommand(args).ended
    const lines = stdout.split(/\r?\n/).filter((line) => line.startsWith('{'))
    const events = lines.map((line) => runEventSchema.parse(JSON.parse(line)))
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.notice] : []))
    expect(notices).toContainEqual(
      expect.objectContaining({ code: 'timeout', data: { limitMs: '2500', option: 'maxWaitMs' } }),
    )
    expect(events.at(-1)).toMatchObject({ type: 'execution-end', result: { exitCode: 124 } })
  })

  it('asks nobody where there is no terminal, and says what to do', async () => {
    const command = commandWithoutTerminal(['run', '-', ...isolated, '--network', 'ask'])
    expect(await command.ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--network'),
    })
  })
})

describe.skipIf(python.missing)('fenced run --ask', () => {
  const prompt = 'fenced: Run it? [y] yes, [a] all in this run, [n] no, or n and a reason: '

  /** Starts the command at a terminal, on a text with these programs. */
  async function asked(programs: readonly string[], args: readonly string[] = []) {
    const file = join(await temporaryDirectory(), 'answer.md')
    await writeFile(file, blocks(...programs))
    return terminalCommand(['run', file, '--ask', ...anywhere, ...args])
  }

  const denied = (reason: string) => expect.stringContaining(`not approved. Reason: ${reason}`)

  it('runs a program once the person allows it, and asks again after an unclear word', async () => {
    const command = await asked(['printf %s ran', 'printf %s ran-too'])
    await command.printed('sh:\r\n  | printf %s ran\r\n')
    await command.printed(prompt)
    command.child.stdin.write('ok\n')
    await command.printed('ok\r\nfenced: ')
    expect(command.text).not.toMatch(/^ {2}> ran/m)
    command.child.stdin.write('y\n')
    await command.printed('  | printf %s ran-too\r\n')
    command.child.stdin.write('n use a loop\n')
    const { stdout } = await command.ended
    expect(stdout).toMatch(/^ {2}> ran/m)
    expect(stdout).not.toMatch(/^ {2}> ran-too/m)
    expect(stdout).toEqual(denied('use a loop'))
  })

  it('asks once where the person allows all', { tags: 'all' }, async () => {
    const command = await asked(['echo first', 'echo second'])
    await command.printed(prompt)
    command.child.stdin.write('a\n')
    const { stdout } = await command.ended
    expect(stdout.split(prompt)).toHaveLength(2)
    expect(stdout).toMatch(/^ {2}> second/m)
  })

  it('runs nothing where the input of the terminal ends', async () => {
    const command = await asked(['echo ran'])
    await command.printed(prompt)
    command.child.stdin.write('\x04')
    const { stdout } = await command.ended
    expect(stdout).toContain('(APPROVAL_UNAVAILABLE)')
    expect(stdout).not.toMatch(/^ {2}> ran/m)
  })

  it('prints the question and the answer as events', async () => {
    const command = await asked(['echo ran'], ['--json'])
    await command.printed(prompt)
    command.child.stdin.write('n\n')
    const { stdout } = await command.ended
    const lines = stdout.split(/\r?\n/).filter((line) => line.startsWith('{'))
    const events = lines.map((line) => runEventSchema.parse(JSON.parse(line)))
    expect(events).toMatchObject([
      { type: 'run-start' },
      { type: 'approval-requested', request: { kind: 'code' } },
      { type: 'approval-answered', answer: { decision: 'deny' } },
      { type: 'notice', notice: { code: 'denied' } },
      { type: 'execution-end', result: { status: 'denied', exitCode: 126 } },
    ])
  })

  it('records the answers in the directory of --ledger', async () => {
    const directory = join(await temporaryDirectory(), 'ledger')
    const command = await asked(['echo first', 'echo second'], ['--ledger', directory])
    await command.printed(prompt)
    command.child.stdin.write('y\n')
    await command.printed('  | echo second')
    command.child.stdin.write('n\n')
    await command.ended
    expect(await fileLedger(directory).list()).toMatchObject([
      { kind: 'code', state: 'finished', decidedBy: 'person' },
      { kind: 'code', state: 'denied', decidedBy: 'person' },
    ])
  })

  it('begins a question in a column where no program writes, with none of its colors or its movements', async () => {
    const forged =
      'fenced: Run it? [y]\\033[8m\\033[31m\\033[A\\r\\033]0;x\\007fenced: The next\\342\\200\\256'
    const command = await asked([`printf '${forged}'; printf '%0200d'`, 'echo second'])
    await command.printed(prompt)
    command.child.stdin.write('y\n')
    await command.printed('  | echo second')
    await command.printed(prompt)
    command.child.stdin.write('n\n')
    const { stdout } = await command.ended
    const rows = stdout.split(/[\r\n]+/)
    const ofProgram = rows.filter((row) => row.startsWith('  > '))
    expect(ofProgram[0]).toBe('  > fenced: Run it? [y]␛[8m\u001B[31m␛[A')
    expect(ofProgram[1]).toMatch(/^ {2}> ␛\]0;x␇fenced: The next\[U\+202E\]0+$/)
    expect(ofProgram.length).toBeGreaterThan(3)
    const question = rows.findLastIndex((row) => row.includes('fenced: The next program'))
    expect(rows[question]?.startsWith('\u001B[0mfenced: The next program')).toBe(true)
    expect(rows[question - 1]?.replace('\u001B[0m', '!')).toMatch(/^ {2}> 0+!$/)
    expect(rows.filter((row) => row.replace('\u001B[0m', '').startsWith('fenced: Run it?'))).toHaveLength(2)
  })

  it('shows the end of a line that is longer than the terminal as part of the program', async () => {
    const command = await asked([`echo ${'a'.repeat(90)} fenced: Run it?`])
    await command.printed(prompt)
    command.child.stdin.write('n\n')
    const { stdout } = await command.ended
    expect(stdout).toMatch(/^ {2}\| echo a+\r\n {2}↪ a+ fenced: Run it\?\r$/m)
  })

  it('runs nothing where there is no terminal', async () => {
    const command = commandWithoutTerminal(['run', '-', '--ask', ...anywhere])
    expect(await command.ended).toMatchObject({ code: 2, stderr: expect.stringContaining('--ask') })
  })
})

it.each([
  [['run', '-', '--network', 'open,pypi.org'], 'open,pypi.org'],
  [['mcp', '--network', 'ask'], 'ask'],
  [['run', '-', '--ledger', 'kept'], '--ask'],
  [['mcp', '--ledger', 'kept'], '--ask'],
])('says what is wrong with %s', { tags: 'all' }, async (args, message) => {
  expect(await fenced(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})
