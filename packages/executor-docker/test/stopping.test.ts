import { setTimeout as delay } from 'node:timers/promises'
import { processesLeft, rowTags, uniqueSeconds } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { noticeCodes, printed, python, sh } from './blocks.ts'
import { removeContainer } from './raw-engine.ts'
import { docker } from './requirements.ts'

const rows = rowTags({
  nightly: [{ in: 'busybox', except: ['a tree of processes', 'cleared its environment'] }],
})

// Neither has ps, pkill or timeout that we use; the second has no bash and no Python.
describe.skipIf(docker.missing).each(['fenced-test/python', 'fenced-test/busybox'])(
  'in %s',
  rows,
  (image) => {
    const executor = new DockerCommandLineCodeExecutor({ image })
    beforeAll(() => executor.start())
    afterAll(() => executor.stop())

    it.each([
      [
        'a tree of processes',
        (seconds: number) => `(sleep ${seconds} & sh -c 'sleep ${seconds} & wait') & sleep ${seconds}`,
      ],
      ['who ignores SIGTERM', (seconds: number) => `trap '' TERM; sleep ${seconds}; sleep ${seconds}`],
      ['who stopped itself', (seconds: number) => `sleep ${seconds} & kill -STOP $$`],
      [
        'who left the session',
        (seconds: number) => `setsid sleep ${seconds} & setsid setsid sleep ${seconds} & sleep ${seconds}`,
      ],
      [
        'who left the session and cleared its environment',
        (seconds: number) =>
          `setsid env -i sleep ${seconds} & setsid env -i sh -c 'sleep ${seconds}; :' & sleep ${seconds}`,
      ],
    ])('a time limit ends %s', async (_, program) => {
      const seconds = uniqueSeconds()
      const result = await executor.execute([sh('echo early', program(seconds))], { timeoutMs: 6_000 })
      expect(result).toMatchObject({ status: 'timeout', exitCode: 124 })
      expect(result.output).toMatch(/^early\n/)
      expect(await processesLeft(`${seconds}`)).toEqual([])
      expect(await printed(executor, sh('echo usable'))).toBe('usable\n')
    })

    it('a program that has ended keeps its exit code, however slowly its output is read', async () => {
      // More than the reader may be behind; the rest of it fits into pipes and sockets.
      const execution = executor.execute([sh('head -c 400000 /dev/zero; exit 3')], { timeoutMs: 6_000 })
      let slowReads = 5
      for await (const { type } of execution) if (type === 'stdout' && slowReads-- > 0) await delay(1_500)
      expect(await execution).toMatchObject({ status: 'error', exitCode: 3 })
    })

    it('cancelling ends it too, and says so', async () => {
      const seconds = uniqueSeconds()
      const controller = new AbortController()
      const execution = executor.execute([sh(`echo early; sleep ${seconds}`)], { signal: controller.signal })
      for await (const { type } of execution) if (type === 'stdout') controller.abort()
      expect(await execution).toMatchObject({ status: 'cancelled', exitCode: 125 })
      expect(await processesLeft(`${seconds}`)).toEqual([])
    })

    it('a program may say goodbye within the grace', async () => {
      await using patient = new DockerCommandLineCodeExecutor({ image, killGraceMs: 20_000 })
      const program = sh("trap 'echo goodbye; exit 0' TERM", 'echo here; while :; do sleep 0.1; done')
      const controller = new AbortController()
      const execution = patient.execute([program], { signal: controller.signal })
      for await (const { type } of execution) if (type === 'stdout') controller.abort()
      expect((await execution).output).toContain('goodbye\n')
    })

    it('what a program that ended left behind is gone, and is not waited for', async () => {
      const seconds = uniqueSeconds()
      const left = [
        `sleep ${seconds} &`,
        `setsid sleep ${seconds} > /dev/null 2>&1 &`,
        `setsid env -i sleep ${seconds} > /dev/null 2>&1 &`,
        'echo done',
      ].join('\n')
      expect(await printed(executor, sh(left))).toBe('done\n')
      expect(await processesLeft(`${seconds}`)).toEqual([])
    })

    it('a program that kills all it can is known to have died, and the next block runs', async () => {
      // What it wrote in the last moment may go with the Python that it is a fork of.
      const result = await executor.execute([sh('echo before; sleep 0.5; kill -9 -1; echo after')])
      expect(result.status).toBe('died')
      expect(result.output).toContain('before')
      expect(noticeCodes(result)).toEqual(['died'])
      expect(await printed(executor, sh('echo usable'))).toBe('usable\n')
    })

    it.each([
      ['its own', 'exit 3', 3],
      ['by a signal', 'kill -SEGV $$', 139],
      ['by SIGINT, which is not ignored', 'kill -INT $$; exit 9', 130],
      ['124 is the program’s own here', 'exit 124', 124],
      ['126', 'exit 126', 126],
    ])('the exit code is told: %s', async (_, program, exitCode) => {
      expect(await executor.execute([sh(program)])).toMatchObject({
        ...{ status: 'error', exitCode },
        blocks: [{ stdout: '', stderr: '' }],
      })
    })

    it('the end of stdin is there at once', async () => {
      expect(await printed(executor, sh('cat; echo end'))).toBe('end\n')
    })
  },
)

describe.skipIf(docker.missing)('two executors', () => {
  it('a time limit in one is nothing to the other, not even on the same program', async () => {
    const image = 'fenced-test/python'
    await using one = new DockerCommandLineCodeExecutor({ image })
    await using two = new DockerCommandLineCodeExecutor({ image })
    await Promise.all([one.start(), two.start()])
    const program = python('# filename: same.py', 'import time', 'time.sleep(2)', 'print("ended")')
    const [stopped, ended] = await Promise.all([
      one.execute([program], { timeoutMs: 700 }),
      two.execute([program]),
    ])
    expect(stopped.status).toBe('timeout')
    expect(ended).toMatchObject({ status: 'ok', output: 'ended\n' })
  })

  it('in one container: only one’s own processes are ended', async () => {
    const options = {
      image: 'fenced-test/python',
      containerName: `fenced-test-shared-${uniqueSeconds()}`,
      stopContainer: false,
      workDir: `/tmp/fenced-test-shared-${uniqueSeconds()}`,
      allowSharedWorkDir: true,
    }
    const one = new DockerCommandLineCodeExecutor(options)
    await one.start()
    const two = new DockerCommandLineCodeExecutor(options)
    const running = two.execute([
      python('import time', 'print("begun", flush=True)', 'time.sleep(2)', 'print("ended")'),
    ])
    const begun = Promise.withResolvers<void>()
    const reading = (async () => {
      for await (const { type } of running) if (type === 'stdout') begun.resolve()
    })()
    await Promise.race([begun.promise, reading])
    expect(await one.execute([sh('sleep 100')], { timeoutMs: 500 })).toMatchObject({ status: 'timeout' })
    expect(await running).toMatchObject({ status: 'ok', output: 'begun\nended\n' })
    await Promise.all([one.stop(), two.stop()])
    await removeContainer(options.containerName)
  })
})
