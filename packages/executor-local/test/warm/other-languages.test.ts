// @module-tag all

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { CodeResult } from '@fenced/core'
import { processesLeft, rowTags, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'
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

/** What a shell finds, a line each; what is another one for every process is left out. */
const findings = `
env | grep -v '^FENCED_RUN_ID=' | sort
umask; ulimit -a; nice; cat /proc/self/oom_score_adj; pwd; echo "$0 $-"
ls /proc/$$/fd
readlink /proc/$$/exe /proc/$$/fd/0
grep -E '^(Sig[BIC]|Cap|NoNewPrivs|Seccomp)' /proc/self/status
test "$(ps -o pgid= -p $$)" -eq $$ && echo leads its group
yes | head -n 1
exit 3`

const rowLevels = rowTags({ nightly: ['in bubblewrap'] })

describe('blocks of other languages where a Python stays', () => {
  for (const { place, missing, options } of places) {
    describe.skipIf(missing)(place, rowLevels, () => {
      it('become what runs them in a fork of it, and find what they would find if they were started', async () => {
        // Python adds a variable of its own where the locale is "C".
        const env = { LANG: 'C', LC_ALL: '', GIVEN: 'a=b\n c' }
        const workDir = await mkdtemp(join(tmpdir(), 'fenced-test-'))
        onTestFinished(() => rm(workDir, { recursive: true }))
        const find = async (warm: boolean) => {
          await using executor = new LocalCommandLineCodeExecutor({ ...options, env, workDir, warm })
          if (warm) await executor.execute([{ language: 'python', code: '' }])
          return await run(executor, findings)
        }
        const name = (text: string) => text.replace(/\.fenced-\w+\.sh/, 'program.sh')
        // One after the other, because isolated executors cannot share a directory.
        const [ofCold, ofWarm] = [await find(false), await find(true)]
        expect(name(ofWarm.output).split('\n')).toEqual(
          expect.arrayContaining(['GIVEN=a=b', ' c', 'y', '0', '1', '2']),
        )
        const group = 'leads its group'
        const lines = ({ output }: CodeResult) =>
          name(output)
            .split('\n')
            .filter((line) => line !== group)
        expect(lines(ofWarm)).toEqual(lines(ofCold))
        expect([ofCold.exitCode, ofWarm.exitCode]).toEqual([3, 3])
      })

      it('end with all that they have started, at their end and at their time limit', async () => {
        const executor = new LocalCommandLineCodeExecutor(options)
        await using _ = executor
        await rested(executor)
        const seconds = `${uniqueSeconds()}`
        await run(executor, `setsid sleep ${seconds} >/dev/null 2>&1 & echo left`)
        expect(await processesLeft(seconds)).toEqual([])
        const late = await run(executor, `trap '' TERM; setsid sleep ${seconds} & sleep ${seconds}`, 1_000)
        expect(late.status).toBe('timeout')
        expect(await processesLeft(seconds)).toEqual([])
        expect((await run(executor, 'echo next')).output).toBe('next\n')
      })
    })
  }

  it.skipIf(python.missing || bubblewrap.missing)(
    'do not show the next one what they leave in the files that only they have',
    async () => {
      await using executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
      await rested(executor)
      expect((await run(executor, 'echo left > /tmp/left; cat /tmp/left')).output).toBe('left\n')
      // The next one is started, and the one after it may be a fork of a new Python.
      const show = 'test -e /tmp/left || echo nothing'
      expect((await run(executor, show)).output).toBe('nothing\n')
      await rested(executor)
      expect((await run(executor, show)).output).toBe('nothing\n')
    },
  )

  it.skipIf(python.missing)('have their own exit code, signal and streams', async () => {
    await using executor = new LocalCommandLineCodeExecutor()
    await rested(executor)
    const killed = await run(executor, 'echo out; echo err >&2; kill -KILL $$')
    expect(killed.blocks[0]).toMatchObject({ exitCode: 137, stdout: 'out\n', stderr: 'err\n' })
    const { blocks } = await executor.execute([
      { language: 'javascript', code: 'console.log(process.argv.length, process.ppid); process.exit(4)' },
    ])
    const [, parent] = blocks[0]?.stdout.split(' ') ?? []
    expect(blocks[0]).toMatchObject({ exitCode: 4 })
    expect(Number(parent)).not.toBe(process.pid)
  })

  it.skipIf(python.missing)(
    'do not see what a module that was imported first has put into the environment',
    async () => {
      await using executor = new LocalCommandLineCodeExecutor({
        env: { PYTHONPATH: new URL('modules', import.meta.url).pathname },
        warm: { preload: ['sets_a_variable'] },
      })
      const { blocks } = await executor.execute([
        { language: 'python', code: 'import os; print(os.environ["SET_BY_A_MODULE"])' },
        { language: 'sh', code: 'test -z "$SET_BY_A_MODULE" && echo not set' },
      ])
      expect(blocks.map(({ stdout }) => stdout)).toEqual(['1\n', 'not set\n'])
    },
  )

  it.skipIf(bubblewrap.missing || python.missing)('start it again when it has gone', async () => {
    await using executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
    await rested(executor)
    expect((await run(executor, 'kill -INT 1; sleep 60')).status).toBe('died')
    expect(await isForked(executor)).toBe(true)
  })

  it.skipIf(python.missing || process.platform !== 'linux')(
    'are forks from the first one on, also when theirs has gone, where executors share a Python that is there',
    async () => {
      await using first = new LocalCommandLineCodeExecutor({ warm: true })
      await first.execute([{ language: 'python', code: '' }])
      await using executor = new LocalCommandLineCodeExecutor()
      const parents = [await run(executor, parentOfShell)]
      expect((await run(executor, 'kill -KILL $PPID; sleep 60')).status).toBe('died')
      parents.push(await run(executor, parentOfShell))
      for (const { status, output } of parents) {
        expect(status).toBe('ok')
        expect(output).not.toBe(`${process.pid}\n`)
      }
    },
  )
})

/** Until there is a Python that has nothing to do. */
async function rested(executor: LocalCommandLineCodeExecutor): Promise<void> {
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
async function isForked(executor: LocalCommandLineCodeExecutor): Promise<boolean> {
  return executor.capabilities.isolation === 'none'
    ? (await run(executor, parentOfShell)).output !== `${process.pid}\n`
    : (await run(executor, 'cat /proc/1/cmdline')).status === 'ok'
}

function run(executor: LocalCommandLineCodeExecutor, code: string, timeoutMs?: number): Promise<CodeResult> {
  return executor.execute([{ language: 'sh', code }], timeoutMs === undefined ? {} : { timeoutMs })
}
