import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { StartContext } from '../../src/engine/driver.ts'
import { blocks, fakeExecutor } from '../../src/engine/fake-driver.fixture.ts'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'
import { reached } from './reached.ts'
import { stopClock } from './stop-clock.ts'

const obedient = ({ signal }: StartContext) => sleep(60_000, undefined, { signal })
const deaf = () => new Promise<void>(() => {})

describe('while the driver prepares for a block', () => {
  test.each(['cancelled', 'stopped', 'restarted'])('the call can be %s, and nothing is run', async (how) => {
    const { executor, steps } = fakeExecutor({ prepare: obedient })
    const controller = new AbortController()
    const execution = executor.execute(blocks('ok'), { signal: controller.signal })
    await reached(steps, 'prepare')
    if (how === 'cancelled') controller.abort()
    else if (how === 'stopped') await executor.stop()
    else await executor.restart()
    expect(await execution).toMatchObject({ status: 'cancelled', exitCode: 125, durationMs: 0 })
    expect(steps).not.toContain('run ok')
  })

  test('a call that is stopped leaves the file that its block names as it was', async () => {
    const workDirectory = new HostWorkDirectory()
    const controller = new AbortController()
    const prepare = async () => controller.abort()
    const { executor } = fakeExecutor({ prepare, workDirectory })
    await using _ = executor
    await executor.start()
    const block = { language: 'python', code: '# filename: kept.py\nok' }
    await executor.execute([block], { signal: controller.signal })
    expect(workDirectory.has('kept.py')).toBe(false)
  })

  test('no time limit of the program passes', async () => {
    stopClock()
    const { executor } = fakeExecutor({ prepare: async () => void vi.advanceTimersByTime(50) })
    expect((await executor.execute(blocks('ok'), { timeoutMs: 10 })).status).toBe('ok')
  })

  test('what it reports is an event, as of a start', async () => {
    const { executor } = fakeExecutor({
      prepare: async ({ notice }) => notice({ code: 'new-kernel', message: 'A new kernel is started.' }),
    })
    const codes: string[] = []
    for await (const event of executor.execute(blocks('ok'))) {
      if (event.type === 'notice') codes.push(event.notice.code)
    }
    expect(codes).toEqual(['new-kernel'])
  })

  test('a driver that does not hear the signal is given up, and made again for the next call', async () => {
    let prepareCount = 0
    const { executor, steps } = fakeExecutor({
      prepare: () => (prepareCount++ === 0 ? deaf() : Promise.resolve()),
    })
    const controller = new AbortController()
    const execution = executor.execute(blocks('ok'), { signal: controller.signal })
    await reached(steps, 'prepare')
    controller.abort()
    expect((await execution).status).toBe('cancelled')
    expect((await executor.execute(blocks('hello'))).output).toBe('hello\n')
    expect(steps).toEqual(['start', 'prepare', 'stop', 'start', 'prepare', 'run hello'])
  })

  test('a driver that takes too long ends the call, and can be tried again', async () => {
    let prepareCount = 0
    const { executor, steps } = fakeExecutor({
      prepare: (context) => (prepareCount++ === 0 ? obedient(context) : Promise.resolve()),
      prepareTimeoutMs: 20,
    })
    await expect(executor.execute(blocks('ok'))).rejects.toMatchObject({
      code: 'PREPARE_TIMEOUT',
      data: { executor: 'fake', limitMs: '20' },
    })
    expect(steps).not.toContain('run ok')
    expect((await executor.execute(blocks('hello'))).output).toBe('hello\n')
  })
})

describe('a call that is cancelled', () => {
  test.each(['open', 'write', 'list'] as const)(
    'while its files are made ready runs nothing: %s',
    async (method) => {
      const workDirectory = new HostWorkDirectory()
      const controller = new AbortController()
      const { executor, steps } = fakeExecutor({ workDirectory })
      await executor.start()
      const original = workDirectory[method].bind(workDirectory) as (...args: unknown[]) => Promise<unknown>
      Object.assign(workDirectory, {
        [method]: (...args: unknown[]) => {
          controller.abort()
          return original(...args)
        },
      })
      expect(await executor.execute(blocks('ok'), { signal: controller.signal })).toMatchObject({
        status: 'cancelled',
        durationMs: 0,
      })
      expect(steps).toEqual(['start'])
      await executor.stop()
    },
  )

  test('is not held by a start that does not hear its signal', async () => {
    const { executor, steps } = fakeExecutor({ start: deaf })
    const execution = executor.execute(blocks('ok'))
    await reached(steps, 'start')
    await executor.stop()
    expect((await execution).status).toBe('cancelled')
  })
})

describe('a program that has ended by itself', () => {
  test('is not out of time because its reader is slow', async () => {
    stopClock()
    const { executor } = fakeExecutor({
      stopGraceMs: 60_000,
      programs: {
        draining: async (io) => {
          io.ended()
          vi.advanceTimersByTime(500)
          return { exitCode: 0 }
        },
      },
    })
    await executor.start()
    const result = await executor.execute(blocks('draining'), { timeoutMs: 20 })
    expect(result).toMatchObject({ status: 'ok', exitCode: 0, durationMs: 0 })
  })

  test('has its own exit code when the rest of its output is cut short by the caller', async () => {
    const controller = new AbortController()
    const { executor, steps } = fakeExecutor({
      programs: {
        draining: async (io) => {
          io.ended()
          await new Promise((resolve) => io.signal.addEventListener('abort', resolve))
          return { exitCode: 3 }
        },
      },
    })
    const execution = executor.execute(blocks('draining', 'ok'), { signal: controller.signal })
    await reached(steps, 'run draining')
    controller.abort()
    expect(await execution).toMatchObject({ status: 'error', exitCode: 3 })
  })

  test('counts although its driver learns of it after the stop', async () => {
    const { executor } = fakeExecutor({
      programs: {
        late: async (io) => {
          await new Promise((resolve) => io.signal.addEventListener('abort', resolve))
          return { exitCode: 0, endedByItself: true }
        },
      },
    })
    expect((await executor.execute(blocks('late'), { timeoutMs: 10 })).status).toBe('ok')
  })

  test('is followed by no other block of a call that was cancelled', async () => {
    const controller = new AbortController()
    const { executor, steps } = fakeExecutor({
      programs: {
        ended: async (io) => {
          io.ended()
          controller.abort()
          return { exitCode: 0 }
        },
      },
    })
    const result = await executor.execute(blocks('ended', 'ok'), { signal: controller.signal })
    expect(result.blocks.map(({ status }) => status)).toEqual(['ok', 'cancelled'])
    expect(steps).toEqual(['start', 'run ended'])
  })
})
