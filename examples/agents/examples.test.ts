import { execFileSync, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { afterAll, describe, expect, it } from 'vitest'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import { answers, ModelServer } from '../../packages/agents/test/model/model-server.ts'

// Each example is run as it stands; only the model has its answers ready.

const environment = process.env.FENCED_TEST_JUPYTER ?? ''
const matplotlib = requirement(
  'jupyter',
  problemOf(join(environment, 'bin/python'), ['-c', 'import matplotlib']),
)
const bubblewrap = requirement('bubblewrap', problemOf('bwrap', ['--ro-bind', '/', '/', 'true']))
const python = requirement('python', problemOf('python3', ['-c', 'import pty, venv, ensurepip']))
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

/** What happens at the terminal of an example: a text is waited for, and then this is typed. */
type Dialogue = ReadonlyArray<readonly [shown: string, typed: string]>

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** With it the example has a terminal. */
  readonly dialogue?: Dialogue
}

/** Starts an example in a directory. */
function start(name: string, cwd: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [...scripted, join(import.meta.dirname, name), ...args], {
    cwd,
    env: { ...process.env, PORT: '0' },
    timeout: 60_000,
  })
  let output = ''
  const changed = new EventTarget()
  const take = (chunk: string) => {
    output += chunk
    changed.dispatchEvent(new Event('output'))
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take)
  const ended = new Promise((resolve) => child.once('close', resolve))
  const shows = (text: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = text.exec(output)
        if (found !== null) resolve(found)
      }
      changed.addEventListener('output', look)
      void ended.then(() => reject(new Error(`It ended without ${text}: ${output}`)))
      look()
    })
  return { child, ended, shows, output: () => output }
}

/** Node's options for an example whose model has its answers ready. */
const scripted = [
  '--conditions=@fenced/source',
  ...['--import', join(import.meta.dirname, 'scripted-provider.ts')],
]

/** Runs an example in a directory of its own. Resolves with what it has printed. */
async function run(name: string, { env = {}, dialogue }: RunOptions = {}): Promise<string> {
  const here = import.meta.dirname
  const cwd = join(directory, name)
  await mkdir(cwd)
  const node = [process.execPath, ...scripted]
  const [program = '', ...args] =
    dialogue === undefined
      ? [...node, join(here, name)]
      : [
          'python3',
          '-c',
          'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)',
          ...node,
          join(here, name),
        ]
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1', TERM: 'dumb', ...env },
    timeout: 60_000,
  })
  let output = ''
  const waiting = [...(dialogue ?? [])]
  let seen = 0
  const take = (chunk: string) => {
    output += chunk
    const [[shown, typed] = ['', '']] = waiting
    if (typed === '' || !output.includes(shown, seen)) return
    seen = output.indexOf(shown, seen) + shown.length
    waiting.shift()
    child.stdin.write(typed)
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take)
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect([code, output]).toEqual([0, expect.anything()])
  return output.replaceAll('\r\n', '\n')
}

describe.skipIf(bubblewrap.missing)(
  'an example does what it says',
  { concurrent: true, timeout: 90_000 },
  () => {
    it('two-agents.ts', async () => {
      const output = await run('two-agents.ts')
      expect(output).toContain('print(sum(all(n % k')
      expect(output).toContain('The program says: 168')
    })

    it.skipIf(python.missing)('human-in-the-loop.ts', async () => {
      const output = await run('human-in-the-loop.ts', {
        dialogue: [
          ['Enter runs it', '\r'],
          ['Enter ends the conversation', '\r'],
        ],
      })
      expect(output).toContain('in bubblewrap, without network')
      expect(output).toMatch(/The program says: \d+/)
    })

    it('undo-a-step.ts', async () => {
      expect(await run('undo-a-step.ts')).toBe(
        'So it is 4.0.\nBlock 2 was undone. Variables and files are as after block 1.\nSo it is 6.0.\n',
      )
    })

    it('clean-data.ts', { tags: 'nightly' }, async () => {
      expect(await run('clean-data.ts')).toBe(
        '5 rows, 2 after the first try\n3 rows\n5 rows in the file of before\n',
      )
    })

    it.skipIf(python.missing)('approved-code.ts', { tags: 'nightly' }, async () => {
      const output = await run('approved-code.ts', {
        dialogue: [
          ['[n]o, or n and a reason:', 'y\r'],
          ['[n]o, or n and a reason:', 'y\r'],
        ],
      })
      expect(output).toContain('FileNotFoundError')
      expect(output).toContain('So it is c.')
    })

    it('answer-later.ts', async () => {
      const cwd = await mkdtemp(join(directory, 'later-'))
      const asking = start('answer-later.ts', cwd, 'ask')
      const [, id] = await asking.shows(/^([0-9a-f-]{36})$/m)
      await asking.ended
      const serving = start('answer-later.ts', cwd, 'serve')
      const [, port] = await serving.shows(/port: (\d+)/)
      const press = () =>
        fetch(`http://127.0.0.1:${port}`, {
          method: 'POST',
          body: JSON.stringify({ id, decision: 'allow' }),
        })
      await press()
      await serving.shows(/So it is 168/)
      // The button is pressed twice.
      await press()
      await serving.shows(/may have run already/)
      serving.child.kill('SIGTERM')
      await serving.ended
      expect(serving.output().match(/So it is 168/g)).toHaveLength(1)
    })

    it('team.ts', { tags: 'nightly' }, async () => {
      const output = await run('team.ts')
      expect(output).toContain('So it is Saturday.')
      expect(output).toContain('APPROVED')
    })

    it('local-model.ts', async () => {
      const program =
        'I try this.\n\n~~~python\nprint(sum(all(n % k for k in range(2, n)) for n in range(2, 1000)))\n~~~'
      await using server = await ModelServer.start(
        answers({ texts: [program] }),
        answers({ texts: ['There are 168.'] }),
      )
      expect(await run('local-model.ts', { env: { MODEL_URL: server.baseUrl } })).toBe('There are 168.\n')
      expect(JSON.stringify(server.requests[1]?.body)).toContain('168')
    })

    it('traced.ts', { tags: 'nightly' }, async () => {
      const names = [...(await run('traced.ts')).matchAll(/^ {2}name: '([a-z. _]+)/gm)].map(
        ([, name]) => name,
      )
      expect(names).toEqual(expect.arrayContaining(['chat anthropic', 'agent.turn coder', 'agent.run coder']))
    })

    it('agent-as-tool.ts', { tags: 'nightly' }, async () => {
      expect(await run('agent-as-tool.ts')).toBe('So it is 1366.\n')
    })

    it('own-tools.ts', { tags: 'nightly' }, async () => {
      expect(await run('own-tools.ts')).toBe(
        'The model wants to call the tool order with {"thing":"milk","pieces":2}.\nI have ordered milk.\n',
      )
    })

    it.skipIf(python.missing)('packages.ts', { tags: 'nightly' }, async () => {
      const wheels = join(directory, 'wheels')
      await makeWheel(wheels)
      const env = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels, UV_NO_INDEX: '1', UV_FIND_LINKS: wheels }
      expect(await run('packages.ts', { env })).toBe('1.0 billion\n\n')
    })

    it.skipIf(matplotlib.missing)('picture.ts', { tags: 'nightly' }, async () => {
      const output = await run('picture.ts', { env: { VIRTUAL_ENV: environment } })
      expect(output).toMatch(/^It is a sine: I see it\.\n\S+\.png\n$/)
    })
  },
)

/** A package of the name, so that no network is needed, beside the pip that Python brings along. */
async function makeWheel(path: string): Promise<void> {
  await mkdir(path)
  const script = join(path, 'make.py')
  await writeFile(
    script,
    `
import ensurepip, glob, os, shutil, sys, zipfile
folder = sys.argv[1]
with zipfile.ZipFile(f'{folder}/humanize-1.0-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('humanize.py', 'def intword(number): return f"{number / 10 ** 9} billion"')
    wheel.writestr('humanize-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: humanize\\nVersion: 1.0\\n')
    wheel.writestr('humanize-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr('humanize-1.0.dist-info/RECORD', '')
for bundled in glob.glob(os.path.join(os.path.dirname(ensurepip.__file__), '_bundled', '*.whl')):
    shutil.copy(bundled, folder)
`,
  )
  execFileSync('python3', [script, path])
}
