// @module-tag all

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { CodeResult } from '@fenced/core'
import { processesLeft, rowTags, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LocalExecutor, type LocalExecutorOptions } from '../local-executor.ts'
import { bubblewrap, python } from '../requirements.ts'

const parentOfShell = 'echo $PPID'
const places = [
  { place: 'on this machine', missing: python.missing, options: {} },
  {
    place: 'in bubblewrap',
    missing: python.missing || bubblewrap.missing,
    options: { isolation: 'bubblewrap' },
  },
] as const

const rows = rowTags({ nightly: ['in bubblewrap'] })

for (const { place, missing, options } of places) {
  describe.skipIf(missing)(`a shell block ${place}`, rows, () => {
    it('has in a fork of the resident Python the surroundings that it has as a new process', async () => {
      const workDir = await mkdtemp(join(tmpdir(), 'fenced-test-'))
      onTestFinished(() => rm(workDir, { recursive: true }))
      // One after the other, because isolated executors cannot share a directory.
      const started = await surroundings({ ...options, workDir, warm: false })
      const forked = await surroundings({ ...options, workDir, warm: {} })
      expect(started).toEqual(expect.arrayContaining(['GIVEN=a=b', ' c', 'y', '0', '1', '2']))
      expect(forked).toEqual(started)
    })

    it.each([
      ['when it ends', (seconds: string) => `setsid sleep ${seconds} >/dev/null 2>&1 & echo left`, 'ok'],
      [
        'when its time is over, although it ignores SIGTERM',
        (seconds: string) => `trap '' TERM; setsid sleep ${seconds} & sleep ${seconds}`,
        'timeout',
      ],
    ])('takes along all that it started, %s', async (_, program, status) => {
      await using executor = new LocalExecutor(options)
      await rested(executor)
      const seconds = `${uniqueSeconds()}`
      const result = await run(executor, program(seconds), status === 'timeout' ? 1_000 : undefined)
      expect(result.status).toBe(status)
      expect(await processesLeft(seconds)).toEqual([])
      expect((await run(executor, 'echo next')).output).toBe('next\n')
    })
  })
}

describe.skipIf(python.missing || bubblewrap.missing)('a shell block in a fork in bubblewrap', () => {
  it('does not show the next one what it leaves in /tmp', async () => {
    await using executor = new LocalExecutor({ isolation: 'bubblewrap' })
    await rested(executor)
    expect((await run(executor, 'echo left > /tmp/left; cat /tmp/left')).output).toBe('left\n')
    // The next one is started, and the one after it may be a fork of a new Python.
    const show = 'test -e /tmp/left || echo nothing'
    expect((await run(executor, show)).output).toBe('nothing\n')
    await rested(executor)
    expect((await run(executor, show)).output).toBe('nothing\n')
  })

  it('that ends its Python is followed by a fork of a new Python', async () => {
    await using executor = new LocalExecutor({ isolation: 'bubblewrap' })
    await rested(executor)
    expect((await run(executor, 'kill -INT 1; sleep 60')).status).toBe('died')
    expect(await isForked(executor)).toBe(true)
  })
})

describe.skipIf(python.missing)('a block of another language beside a resident Python', () => {
  it('has its own signal and streams, in sh', async () => {
    await using executor = new LocalExecutor()
    await rested(executor)
    const { blocks } = await run(executor, 'echo out; echo err >&2; kill -KILL $$')
    expect(blocks[0]).toMatchObject({ exitCode: 137, stdout: 'out\n', stderr: 'err\n' })
  })

  it('is a fork with its own exit code, in JavaScript', async () => {
    await using executor = new LocalExecutor()
    await rested(executor)
    const { blocks } = await executor.execute([
      { language: 'javascript', code: 'console.log(process.ppid); process.exit(4)' },
    ])
    expect(blocks[0]).toMatchObject({ exitCode: 4 })
    expect(Number(blocks[0]?.stdout)).not.toBe(process.pid)
  })

  it('does not see what a module that was imported first has put into the environment', async () => {
    await using executor = new LocalExecutor({
      env: { PYTHONPATH: new URL('modules', import.meta.url).pathname },
      warm: { preload: ['sets_a_variable'] },
    })
    const { blocks } = await executor.execute([
      { language: 'python', code: 'import os; print(os.environ["SET_BY_A_MODULE"])' },
      { language: 'sh', code: 'test -z "$SET_BY_A_MODULE" && echo not set' },
    ])
    expect(blocks.map(({ stdout }) => stdout)).toEqual(['1\n', 'not set\n'])
  })

  it.skipIf(process.platform !== 'linux')(
    'is a fork from the first one on where executors share a Python, also after a block killed its Python',
    async () => {
      await using first = new LocalExecutor({ warm: {} })
      await first.execute([{ language: 'python', code: '' }])
      await using executor = new LocalExecutor()
      const before = await run(executor, parentOfShell)
      expect((await run(executor, 'kill -KILL $PPID; sleep 60')).status).toBe('died')
      const after = await run(executor, parentOfShell)
      for (const { status, output } of [before, after]) {
        expect(status).toBe('ok')
        expect(output).not.toBe(`${process.pid}\n`)
      }
    },
  )
})

/** Prints a line for each thing that a shell finds, except those that differ for every process. */
const findings = `
env | grep -v '^FENCED_RUN_ID=' | sort
umask; ulimit -a; nice; cat /proc/self/oom_score_adj; pwd; echo "$0 $-"
ls /proc/$$/fd
readlink /proc/$$/exe /proc/$$/fd/0
grep -E '^(Sig[BIC]|Cap|NoNewPrivs|Seccomp)' /proc/self/status
yes | head -n 1
exit 3`

async function surroundings(options: LocalExecutorOptions): Promise<string[]> {
  // Python adds a variable of its own where the locale is "C".
  const env = { LANG: 'C', LC_ALL: '', GIVEN: 'a=b\n c' }
  await using executor = new LocalExecutor({ ...options, env })
  if (options.warm) await executor.execute([{ language: 'python', code: '' }])
  const { output, exitCode } = await run(executor, findings)
  expect(exitCode).toBe(3)
  return output.replace(/\.fenced-\w+\.sh/, 'program.sh').split('\n')
}

/** Until there is a Python that has nothing to do. */
async function rested(executor: LocalExecutor): Promise<void> {
  await executor.start()
  await vi.waitFor(
    async () => {
      // Long enough for it to come when no block does.
      await delay(300)
      expect(await isForked(executor)).toBe(true)
    },
    { timeout: 120_000, interval: 0 },
  )
}

/** In bubblewrap process 1 is the parent of a fork, and is hidden from a process that is started. */
async function isForked(executor: LocalExecutor): Promise<boolean> {
  return executor.capabilities.isolation === 'none'
    ? (await run(executor, parentOfShell)).output !== `${process.pid}\n`
    : (await run(executor, 'cat /proc/1/cmdline')).status === 'ok'
}

function run(executor: LocalExecutor, code: string, timeoutMs?: number): Promise<CodeResult> {
  return executor.execute([{ language: 'sh', code }], timeoutMs === undefined ? {} : { timeoutMs })
}
