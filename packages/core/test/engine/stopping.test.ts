import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { blocks, fakeExecutor } from '../../src/engine/fake-driver.fixture.ts'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'
import { reached } from './reached.ts'

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('stop', () => {
  test('ends what runs and what waits, each with a result that says so', async () => {
    const { executor, steps } = fakeExecutor()
    const calls = [
      executor.execute(blocks('endless')),
      executor.execute(blocks('ok')),
      executor.execute(blocks('ok')),
    ]
    await reached(steps, 'run endless')
    await executor.stop()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ])
    expect(steps).toEqual(['start', 'run endless', 'stop'])
  })

  test('during the start that a call wanted cancels the call', async () => {
    const { executor, steps } = fakeExecutor({ start: ({ signal }) => sleep(60_000, undefined, { signal }) })
    const execution = executor.execute(blocks('ok'))
    await reached(steps, 'start')
    await executor.stop()
    expect(await execution).toMatchObject({ status: 'cancelled', blocks: [] })
    expect(steps).toEqual(['start', 'stop'])
  })

  test('during start() rejects that one', async () => {
    const { executor, steps } = fakeExecutor({ start: ({ signal }) => sleep(60_000, undefined, { signal }) })
    const start = executor.start()
    await Promise.all([
      expect(start).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' }),
      reached(steps, 'start').then(() => executor.stop()),
    ])
  })

  test('can be called again, together, and by `await using`', async () => {
    const { executor, steps } = fakeExecutor()
    {
      await using used = executor
      await used.start()
      await Promise.all([used.stop(), used.stop()])
    }
    expect(steps).toEqual(['start', 'stop'])
  })

  test('waits for a program that does not stop, but not forever', async () => {
    const { executor, steps } = fakeExecutor()
    const execution = executor.execute(blocks('deaf'))
    await reached(steps, 'run deaf')
    await executor.stop()
    expect((await execution).status).toBe('died')
  })

  test('that fails rejects, and may be tried again', async () => {
    let stopCount = 0
    const workDirectory = new HostWorkDirectory()
    const { executor } = fakeExecutor({
      workDirectory,
      stop: async () => {
        if (stopCount++ === 0) throw new Error('does not go')
      },
    })
    await executor.start()
    await expect(executor.stop()).rejects.toThrow('does not go')
    await executor.stop()
    expect(existsSync(workDirectory.path)).toBe(false)
  })
})

describe('a start that is called during a stop', () => {
  test.each([1, 2, 3, 5, 8, 20])(
    'begins after it, and has its directory (%d microtasks later)',
    async (count) => {
      const workDirectory = new HostWorkDirectory()
      const { executor, steps } = fakeExecutor({ workDirectory, stop: () => Promise.resolve() })
      await executor.start()
      const stop = executor.stop()
      for (let turn = 0; turn < count; turn++) await undefined
      await executor.start()
      await stop
      expect(existsSync(workDirectory.path)).toBe(true)
      expect((await executor.execute(blocks('hello'))).status).toBe('ok')
      expect(steps).toEqual(['start', 'stop', 'start', 'run hello'])
      await executor.stop()
    },
  )

  test('begins also where the working directory is slow to close', async () => {
    const gate = Promise.withResolvers<void>()
    class SlowDirectory extends HostWorkDirectory {
      override async close(): Promise<void> {
        await gate.promise
        await super.close()
      }
    }
    const workDirectory = new SlowDirectory()
    const { executor } = fakeExecutor({ workDirectory, stop: async () => {} })
    await executor.start()
    await workDirectory.write('old.txt', 'old')
    const stop = executor.stop()
    const start = executor.start()
    await new Promise(setImmediate)
    gate.resolve()
    await Promise.all([stop, start])
    expect(existsSync(workDirectory.path)).toBe(true)
    expect(existsSync(`${workDirectory.path}/old.txt`)).toBe(false)
    await executor.stop()
  })

  test('rejects when it is stopped once more, and at its signal', async () => {
    const gate = Promise.withResolvers<void>()
    const { executor, steps } = fakeExecutor({ stop: () => gate.promise })
    await executor.start()
    const stop = executor.stop()
    const start = expect(executor.start()).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' })
    const signal = AbortSignal.abort(new Error('not wanted'))
    await expect(executor.start({ signal })).rejects.toThrow('not wanted')
    const again = executor.stop()
    gate.resolve()
    await Promise.all([stop, start, again])
    expect(steps).toEqual(['start', 'stop'])
  })
})

describe('a driver whose start does not settle', () => {
  test('ends the call at its limit, and can be tried again', async () => {
    let isStuck = true
    const { executor, steps } = fakeExecutor({
      start: () => (isStuck ? new Promise(() => {}) : Promise.resolve()),
      startTimeoutMs: 20,
    })
    const failed = { code: 'START_TIMEOUT', data: { executor: 'fake', limitMs: '20' } }
    await expect(executor.execute(blocks('ok'))).rejects.toMatchObject(failed)
    await expect(executor.start()).rejects.toMatchObject(failed)
    isStuck = false
    expect((await executor.execute(blocks('hello'))).output).toBe('hello\n')
    expect(steps).toEqual(['start', 'stop', 'start', 'stop', 'start', 'run hello'])
  })
})

describe('a driver whose stop does not settle', () => {
  test('makes stop and restart reject, and is asked again', async () => {
    let isStuck = true
    const { executor, steps } = fakeExecutor({
      stop: () => (isStuck ? new Promise(() => {}) : Promise.resolve()),
      stopTimeoutMs: 20,
    })
    await executor.start()
    const failed = {
      code: 'DRIVER_FAILED',
      data: { executor: 'fake', limitMs: '20' },
    }
    await expect(executor.stop()).rejects.toMatchObject(failed)
    await expect(executor.restart()).rejects.toMatchObject(failed)
    isStuck = false
    await executor.stop()
    expect(steps).toEqual(['start', 'stop', 'stop', 'stop'])
  })
})

describe('after stop', () => {
  test('execute says what to do', async () => {
    const { executor } = fakeExecutor()
    await executor.stop()
    await expect(executor.execute(blocks('ok'))).rejects.toMatchObject({
      code: 'EXECUTOR_STOPPED',
      data: { executor: 'fake' },
    })
  })

  test('start makes it usable again', async () => {
    const { executor, steps } = fakeExecutor()
    await executor.execute(blocks('ok'))
    await executor.stop()
    await executor.start()
    expect((await executor.execute(blocks('hello'))).output).toBe('hello\n')
    expect(steps).toEqual(['start', 'run ok', 'stop', 'start', 'run hello'])
  })

  test('a call that was made while it was stopping runs nothing', async () => {
    const { executor, steps } = fakeExecutor({ stop: nextTurn })
    await executor.start()
    const stop = executor.stop()
    await expect(executor.execute(blocks('ok'))).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' })
    await stop
    expect(steps).toEqual(['start', 'stop'])
  })
})

describe('restart', () => {
  test('ends what runs, makes the sandbox new and keeps the files', async () => {
    const workDirectory = new HostWorkDirectory()
    const { executor, steps } = fakeExecutor({ workDirectory })
    const running = executor.execute(blocks('endless'))
    await reached(steps, 'run endless')
    await workDirectory.write('kept.txt', 'kept')
    await executor.restart()
    expect((await running).status).toBe('cancelled')
    expect(steps).toEqual(['start', 'run endless', 'stop', 'start'])
    expect(existsSync(`${workDirectory.path}/kept.txt`)).toBe(true)
    await executor.stop()
    expect(existsSync(workDirectory.path)).toBe(false)
  })

  test('a call that was made meanwhile runs in the new sandbox', async () => {
    const { executor, steps } = fakeExecutor({ start: nextTurn, stop: nextTurn })
    await executor.start()
    const restarted = executor.restart()
    const execution = executor.execute(blocks('hello'))
    await restarted
    expect((await execution).status).toBe('ok')
    expect(steps).toEqual(['start', 'stop', 'start', 'run hello'])
  })

  test('that cannot start leaves nothing behind once it is stopped', async () => {
    let startCount = 0
    const workDirectory = new HostWorkDirectory()
    const { executor } = fakeExecutor({
      workDirectory,
      start: async () => {
        if (startCount++ === 1) throw new Error('no sandbox')
      },
    })
    await executor.start()
    await expect(executor.restart()).rejects.toThrow('no sandbox')
    await executor.stop()
    expect(existsSync(workDirectory.path)).toBe(false)
  })
})

describe('a start that fails', () => {
  test('rejects the call and can be tried again by the next', async () => {
    let startCount = 0
    const workDirectory = new HostWorkDirectory()
    const { executor } = fakeExecutor({
      workDirectory,
      start: async () => {
        if (startCount++ === 0) throw new Error('no sandbox')
      },
    })
    await expect(executor.execute(blocks('ok'))).rejects.toThrow('no sandbox')
    expect(existsSync(workDirectory.path)).toBe(false)
    expect((await executor.execute(blocks('hello'))).output).toBe('hello\n')
    await executor.stop()
  })
})
