import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { chooseExecutor } from '../src/choose/choose-executor.ts'
import { runEventSchema } from '../src/index.ts'
import { fenced, terminalCommand } from './command.ts'
import { bubblewrap, docker, image, python } from './requirements.ts'

const input = '~~~sh\nprintf "%s" ran\n~~~\n'
const temporary = await mkdtemp(join(tmpdir(), 'fenced-choose-'))
afterAll(() => rm(temporary, { recursive: true, force: true }))

/** A PATH on which there is no bwrap: only what runs a command in a terminal. */
async function pathWithout(): Promise<string> {
  const directory = await mkdtemp(join(temporary, 'bin-'))
  const read = (...[program, args]: [string, string[]]) =>
    execFileSync(program, args, { encoding: 'utf8' }).trim()
  const programs = {
    sh: read('sh', ['-c', 'command -v sh']),
    stty: read('sh', ['-c', 'command -v stty']),
    ...(python.missing ? {} : { python3: read('python3', ['-c', 'import sys; print(sys.executable)']) }),
  }
  for (const [name, path] of Object.entries(programs)) await symlink(path, join(directory, name))
  return directory
}

/** No isolation: neither bwrap nor an engine. */
const nothing = async () => ({
  PATH: await pathWithout(),
  DOCKER_HOST: `unix:///not/there.sock`,
})

const firstEvent = ({ stdout }: { stdout: string }) =>
  runEventSchema.parse(JSON.parse(stdout.slice(0, stdout.indexOf('\n'))))

const venvRows = rowTags({ all: ['named by a directory'], nightly: ['named by an interpreter'] })
const answerRows = rowTags({ all: ['takes n for'] })

describe.concurrent('--executor auto, the default', () => {
  it.skipIf(bubblewrap.missing)('takes bubblewrap where it works, and says so', async () => {
    const ended = await fenced(['run', '-', '--json'], { input })
    expect(firstEvent(ended)).toMatchObject({
      executor: 'local',
      isolation: 'bubblewrap',
      network: 'none',
      chosen: { by: 'auto' },
    })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
  })

  it.skipIf(bubblewrap.missing || python.missing).each([
    ['a directory', ['--python', '.venv']],
    ['an interpreter', ['--executor', 'local', '--isolation', 'bubblewrap', '--python', '.venv/bin/python3']],
  ])('runs a virtual environment in bubblewrap that is named by %s', venvRows, async (_, options) => {
    const cwd = await mkdtemp(join(temporary, 'venv-'))
    const make = "import sys, venv; venv.create('.venv'); print(sys.version_info.minor)"
    const minor = execFileSync('python3', ['-c', make], { cwd, encoding: 'utf8' }).trim()
    await writeFile(join(cwd, `.venv/lib/python3.${minor}/site-packages/only_here.py`), 'word = "found"')
    const importing = '~~~python\nimport only_here\nprint(only_here.word)\n~~~\n'
    const ended = await fenced(['run', '-', '--json', ...options], { cwd, input: importing })
    expect(firstEvent(ended)).toMatchObject({ executor: 'local', isolation: 'bubblewrap' })
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('found') })
  })

  it('runs nothing where there is no isolation, and advises none without', async () => {
    const env = await nothing()
    const web = ['web', '--port', '0', '--directory', temporary]
    const chat = ['chat', '--model', 'm', '--base-url', 'http://127.0.0.1:1', '--yes', 'Add.']
    for (const args of [['run', '-'], ['mcp'], web, chat]) {
      const { code, stdout, stderr } = await fenced(args, { input, env })
      expect([code, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr).toContain('(ISOLATION_UNAVAILABLE)')
    }
  })

  it.skipIf(python.missing).each([
    ['y', { code: 0, printed: 'ran' }],
    ['n', { code: 2, printed: 'ISOLATION_UNAVAILABLE' }],
  ])(
    'asks a person at a terminal once, and takes %s for an answer',
    answerRows,
    async (word, { code, printed }) => {
      const file = join(temporary, `${word}.md`)
      await writeFile(file, input)
      const command = terminalCommand(['run', file], { env: await nothing() })
      await command.printed('[y] yes, [n] no: ')
      command.child.stdin.write('perhaps\n')
      await command.printed('perhaps')
      command.child.stdin.write(`${word}\n`)
      const { stdout } = await command.ended
      expect(stdout).toContain(printed)
      expect(stdout.includes('Code runs on this machine, not isolated')).toBe(code === 0)
    },
  )
})

describe.skipIf(docker.missing)('--executor auto without bubblewrap', () => {
  it('takes a container of an image that is there', async () => {
    const env = { PATH: await pathWithout() }
    const ended = await fenced(['run', '-', '--json', '--image', image], { input, env })
    expect(firstEvent(ended)).toMatchObject({
      executor: 'docker',
      isolation: 'container',
      chosen: { by: 'auto' },
    })
  })

  it('pulls no image', async () => {
    const args = ['run', '-', '--image', 'fenced-test/is-not-there']
    expect(await fenced(args, { input })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('docker pull fenced-test/is-not-there'),
    })
  })
})

it.skipIf(bubblewrap.missing)('a port needs --network open in bubblewrap', { tags: 'all' }, async () => {
  const { signal } = new AbortController()
  const context = { signal, needsPort: true }
  const open = { option: 'open', asks: false } as const
  expect(await chooseExecutor({ executor: 'auto', network: open }, context)).toMatchObject({
    choice: { executor: 'local', isolation: 'bubblewrap' },
  })
  const closed = await chooseExecutor({ executor: 'auto', image: 'none.invalid/x' }, context).catch(
    (error) => error,
  )
  expect(FencedError.isInstance(closed) && closed.data).toMatchObject({ executor: 'auto' })
})

it.skipIf(bubblewrap.missing)(
  'a block that fails for its isolation says how to give it back',
  { tags: 'all' },
  async () => {
    const failing = (code: string) => `~~~sh\n${code}\n~~~\n`
    const outside = await fenced(['run', '-'], { input: failing('cat /home/nobody/data.csv') })
    expect(outside.stderr).toContain('work-dir')
    const offline = await fenced(['run', '-'], {
      input: failing("echo 'Could not resolve host: a.invalid' >&2; exit 6"),
    })
    expect(offline.stderr).toContain('--network')
  },
)
