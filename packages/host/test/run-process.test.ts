import { mkdtemp, mkdtempDisposable, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Notice } from '@fenced/core'
import { type BlockIo, defineExecutor } from '@fenced/core/driver'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, test, vi } from 'vitest'
import { type ProcessIo, type ProcessOptions, runProcess } from '../src/run-process.ts'

type Options = Partial<ProcessOptions> & {
  readonly signal?: AbortSignal
  readonly write?: ProcessIo['write']
}

/** Runs a command, and collects what it reports. */
async function run(
  command: readonly [string, ...string[]],
  { signal = new AbortController().signal, write, ...options }: Options = {},
) {
  const output = { stdout: '', stderr: '' }
  const notices: Notice[] = []
  const outcome = await runProcess(
    command,
    { cwd: '/', ...options },
    {
      signal,
      write: (stream, chunk) => {
        output[stream] += Buffer.from(chunk).toString('latin1')
        return write?.(stream, chunk)
      },
      notice: (notice) => notices.push(notice),
    },
  )
  return { outcome, notices, ...output }
}

const shell = (script: string, options?: Options) => run(['sh', '-c', script], options)

describe('a program', () => {
  test('gives its output to the sink, and ends with its own exit code', async () => {
    const { outcome, stdout, stderr } = await shell('echo out; echo err >&2; exit 3')
    expect({ outcome, stdout, stderr }).toEqual({
      outcome: { exitCode: 3 },
      stdout: 'out\n',
      stderr: 'err\n',
    })
  })

  test('that a signal ended has the exit code that a shell reports', async () => {
    expect((await shell('kill -TERM $$')).outcome).toEqual({ exitCode: 143, signal: 'SIGTERM' })
  })

  test('gets its arguments as they are, and an empty stdin', async () => {
    const { stdout } = await run(['sh', '-c', 'printf %s "$1"; cat', 'sh', '$HOME; "a b"'])
    expect(stdout).toBe('$HOME; "a b"')
  })

  test('gets no secret of this process unless it is given', async () => {
    vi.stubEnv('FENCED_TEST_API_KEY', 'hunter2')
    const print = 'echo "$FENCED_TEST_API_KEY|$PATH"'
    expect((await shell(print)).stdout).toBe(`|${process.env.PATH}\n`)
    expect((await shell(print, { env: { FENCED_TEST_API_KEY: 'given' } })).stdout).toMatch(/^given\|/)
    vi.unstubAllEnvs()
  })

  test('is held back while the sink is busy, and nothing is lost', async () => {
    const { promise: free, resolve } = Promise.withResolvers<void>()
    let chunks = 0
    const write = (): Promise<void> | undefined => (++chunks === 1 ? free : undefined)
    const running = shell('seq 1 300000', { write })
    await sleep(300)
    expect(chunks).toBeLessThanOrEqual(1)
    resolve()
    const { stdout, outcome } = await running
    expect(outcome).toEqual({ exitCode: 0 })
    expect(stdout).toBe(Array.from({ length: 300_000 }, (_, index) => `${index + 1}\n`).join(''))
  })
})

describe('the output of a program is a pair of pipes', () => {
  test('so a child that ends its stdout takes it from no other', async () => {
    const child = [process.execPath, '-e', 'process.stdout.end("from the child\\n")']
    const { stdout, outcome } = await run(['sh', '-c', '"$@"; echo after', 'sh', ...child])
    expect({ stdout, outcome }).toEqual({ stdout: 'from the child\nafter\n', outcome: { exitCode: 0 } })
  })

  test('so that its names can be opened, by several programs at the same time', async () => {
    const names = () => shell('echo out > /dev/stdout; echo warning | tee /dev/stderr')
    for (const { stdout, stderr } of await Promise.all(Array.from({ length: 10 }, names)))
      expect({ stdout, stderr }).toEqual({ stdout: 'out\nwarning\n', stderr: 'warning\n' })
  })
})

describe('nothing is left of a program', () => {
  test('that ends and leaves children behind, in its session and out of it', async () => {
    const seconds = uniqueSeconds()
    const { outcome } = await shell(
      `sleep ${seconds} & setsid sleep ${seconds} & setsid sh -c 'sleep ${seconds} & sleep ${seconds}' & sleep 0.2; exit 7`,
    )
    expect(outcome).toEqual({ exitCode: 7 })
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  test('that is a stand-in, whose child holds the streams', async () => {
    const seconds = uniqueSeconds()
    const { outcome, stdout, notices } = await shell(`sleep ${seconds} & echo started`)
    expect({ outcome, stdout, notices }).toEqual({
      outcome: { exitCode: 0 },
      stdout: 'started\n',
      notices: [],
    })
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  test('that is ended in the middle of its children and ignores SIGTERM', async () => {
    const seconds = uniqueSeconds()
    const controller = new AbortController()
    const write = () => controller.abort()
    await shell(
      `trap '' TERM; sleep ${seconds} & setsid sleep ${seconds} & echo ready; while :; do sleep 1; done`,
      { signal: controller.signal, write, killGraceMs: 50 },
    )
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  test('that writes for ever, in each way to be rid of it', async () => {
    const flood = (name: string) => `yes ${name} & yes ${name}; wait`
    const stopped = new AbortController()
    await shell(flood('fenced-flood-1'), { signal: stopped.signal, write: () => stopped.abort() })
    const held = new AbortController()
    // A sink that does not even let go when the program is ended.
    const never = () => {
      setTimeout(() => held.abort(), 100)
      return new Promise<void>(() => {})
    }
    expect((await shell(flood('fenced-flood-2'), { signal: held.signal, write: never })).notices).toEqual([])
    const full = new Error('The disk is full.')
    const throws = () => {
      throw full
    }
    await expect(shell(flood('fenced-flood-3'), { write: throws })).rejects.toBe(full)
    await expect(shell(flood('fenced-flood-4'), { write: () => Promise.reject(full) })).rejects.toBe(full)
    expect(await processesLeft('fenced-flood')).toEqual([])
  })

  test.runIf(process.platform === 'linux')('without its variables in its session', async () => {
    const seconds = uniqueSeconds()
    const inOtherGroup = `set -m; sleep ${seconds} > /dev/null 2>&1 & exec true`
    const { notices } = await shell(`env -i bash -c '${inOtherGroup}'`)
    expect(notices).toEqual([])
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  test('that was cancelled before', async () => {
    const reason = new Error('not wanted')
    const file = join(tmpdir(), `fenced-${uniqueSeconds()}`)
    await expect(shell(`touch ${file}`, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await expect(rm(file)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

/** Prints the number of a process once that has no variable of its program any more. */
const flee = `setsid env -i sleep ${uniqueSeconds()} > /dev/null 2>&1 &
while grep -q PATH= /proc/$!/environ; do :; done
echo $!`

describe.runIf(process.platform === 'linux')('a process that has fled, and holds no output,', () => {
  test('is reported where it works in the directory of its program', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'fenced-fled-'))
    const { notices, stdout } = await shell(flee, { cwd: directory.path })
    process.kill(Number(stdout), 'SIGKILL')
    expect(notices).toMatchObject([{ code: 'left-behind' }])
  })

  test('is not where it works elsewhere: it may be of another program', async () => {
    const { notices, stdout } = await shell(flee, { cwd: '/' })
    process.kill(Number(stdout), 'SIGKILL')
    expect(notices).toEqual([])
  })
})

describe('a program that cannot be started', () => {
  test('is an outcome that says why', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-'))
    const file = join(directory, 'data.txt')
    await writeFile(file, 'no program')
    expect(await run(['/no/such/program'])).toMatchObject({
      outcome: { status: 'invalid', exitCode: 127 },
      notices: [{ code: 'not-started', data: { program: '/no/such/program', systemCode: 'ENOENT' } }],
    })
    expect(await run([file])).toMatchObject({
      outcome: { status: 'invalid', exitCode: 126 },
      notices: [{ code: 'not-started', data: { program: file, systemCode: 'EACCES' } }],
    })
    expect(await shell('true', { cwd: join(directory, 'missing') })).toMatchObject({
      outcome: { status: 'invalid' },
      notices: [{ code: 'not-started', data: { program: 'sh', directory: join(directory, 'missing') } }],
    })
    await rm(directory, { recursive: true })
  })
})

describe('steps before a program', () => {
  test('run one after the other, with its directory and environment, and their output comes first', async () => {
    const { outcome, stdout } = await shell('echo "program in $(pwd): $NAME"', {
      cwd: '/tmp',
      env: { ...process.env, NAME: 'value' },
      before: [
        ['sh', '-c', 'echo "first in $(pwd): $NAME"'],
        ['sh', '-c', 'echo second'],
      ],
    })
    expect(outcome).toEqual({ exitCode: 0 })
    expect(stdout).toBe('first in /tmp: value\nsecond\nprogram in /tmp: value\n')
  })

  test.each<[what: string, step: readonly [string, ...string[]], outcome: object]>([
    ['fails', ['sh', '-c', 'echo no >&2; exit 3'], { exitCode: 3 }],
    ['is not there', ['fenced-no-such-compiler'], { status: 'invalid', exitCode: 127 }],
  ])('end with the first that %s, and nothing runs after it', async (_, step, outcome) => {
    const ran = await shell('echo ran', { before: [step, ['sh', '-c', 'echo ran']] })
    expect(ran.outcome).toEqual(outcome)
    expect(ran.stdout).toBe('')
  })

  test('leave the program its time limit and its cancel', async () => {
    await using executor = compiling()
    const limited = await executor.execute([block('exec sleep 1000')], { timeoutMs: 300 })
    expect(limited.status).toBe('timeout')
    const controller = new AbortController()
    const execution = executor.execute([block('echo begun; exec sleep 1000')], { signal: controller.signal })
    for await (const event of execution) {
      if (event.type === 'stdout' && event.text.includes('begun')) controller.abort()
    }
    expect(await execution).toMatchObject({
      status: 'cancelled',
      output: expect.stringMatching(/^compiled\nbegun\n/),
    })
  })

  test.each<[how: string, pass: (io: BlockIo) => BlockIo]>([
    ['as it is', (io) => io],
    [
      'as a copy with another `write`',
      (io) => ({ ...io, write: (stream, chunk) => io.write(stream, chunk) }),
    ],
  ])('are no second program of a block, with its io %s: it would have no time limit', async (_, pass) => {
    await using executor = defineExecutor({
      name: 'twice',
      languages: ['sh'],
      driver: () => ({
        run: async ({ code }, io) => {
          await runProcess(['true'], { cwd: '/' }, pass(io))
          return runProcess(['sh', '-c', code], { cwd: '/' }, pass(io))
        },
      }),
    })()
    await expect(executor.execute([block('exec sleep 1000')])).rejects.toMatchObject({
      code: 'DRIVER_FAILED',
      data: { program: 'sh' },
    })
  })
})

const block = (code: string) => ({ language: 'sh', code })

/** An executor with a step before each program. */
const compiling = defineExecutor({
  name: 'compiling',
  languages: ['sh'],
  driver: () => ({
    run: ({ code }, io) => runProcess(['sh', '-c', code], { cwd: '/', before: [['echo', 'compiled']] }, io),
  }),
})
