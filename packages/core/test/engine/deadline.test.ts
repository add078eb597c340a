import { getEventListeners } from 'node:events'
import { createLanguageTable } from '@fenced/markdown'
import { expect, test, vi } from 'vitest'
import { blockEnd, type Outcome } from '../../src/engine/block-end.ts'
import type { EngineContext } from '../../src/engine/engine-context.ts'
import { EarlierPrograms } from '../../src/engine/failures/earlier-programs.ts'
import { engineOptions } from '../../src/engine/fake-driver.fixture.ts'
import { Deadline } from '../../src/engine/time/deadline.ts'
import { DirectoryLease } from '../../src/work-directory/directory-lease.ts'
import { stopClock } from './stop-clock.ts'

const engine: EngineContext = {
  name: 'fake',
  driver: { run: async () => ({ exitCode: 0 }) },
  capabilities: {
    languages: ['python'],
    isolation: 'none',
    stateful: [],
    richOutput: false,
    network: 'open',
    limits: { memory: false, processes: false },
  },
  options: engineOptions(),
  languages: createLanguageTable(),
  lease: new DirectoryLease({ isolation: 'none' }),
  stopGraceMs: 1_000,
  prepareTimeoutMs: 60_000,
  earlierPrograms: new EarlierPrograms(),
  markBroken: () => {},
}

const maxWaitMs = 600_000

const deadlineOf = (signal: AbortSignal, timeoutMs = 60_000) =>
  new Deadline(engine, { signal, timeoutMs, maxWaitMs })

/** A program that runs until its signal, and then says that it went well. */
const untilStopped = (deadline: Deadline) => () =>
  new Promise<{ exitCode: number }>((resolve) =>
    deadline.signal.addEventListener('abort', () => resolve({ exitCode: 0 })),
  )

test('the first reason is the one that counts, and the signal is aborted once', () => {
  using deadline = deadlineOf(new AbortController().signal)
  let abortCount = 0
  deadline.signal.addEventListener('abort', () => abortCount++)
  deadline.stop('output-limit')
  deadline.stop('timeout')
  expect([deadline.reason, deadline.signal.aborted, abortCount]).toEqual(['output-limit', true, 1])
})

test.each(['before it was made', 'later'])('the caller’s signal is a reason (%s)', (when) => {
  const controller = new AbortController()
  if (when === 'before it was made') controller.abort()
  using deadline = deadlineOf(controller.signal)
  controller.abort()
  expect([deadline.reason, deadline.signal.aborted]).toEqual(['cancelled', true])
})

test('its time limit is a reason, and then the status and the exit code are those of the limit', async () => {
  using deadline = deadlineOf(new AbortController().signal, 5)
  const end = await deadline.run(untilStopped(deadline))
  expect(deadline.reason).toBe('timeout')
  expect(end).toMatchObject({ status: 'timeout', exitCode: 124, notice: { code: 'timeout' } })
})

test('the rest of the output has time as long as its reader is behind', async () => {
  let asked = 0
  const isReaderBehind = () => ++asked < 3
  using deadline = new Deadline(
    { ...engine, stopGraceMs: 1 },
    { signal: new AbortController().signal, timeoutMs: 1, maxWaitMs, isReaderBehind },
  )
  const running = deadline.run((ended) => {
    ended()
    return untilStopped(deadline)()
  })
  await expect(running).rejects.toMatchObject({ code: 'DRIVER_FAILED' })
  expect(asked).toBe(3)
})

test('once disposed, neither its timer nor the caller’s signal stops anything, and no listener is left', async () => {
  stopClock()
  const controller = new AbortController()
  const deadline = deadlineOf(controller.signal, 5)
  void deadline.run(untilStopped(deadline))
  deadline[Symbol.dispose]()
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  controller.abort()
  vi.advanceTimersByTime(60_000)
  expect([deadline.reason, deadline.signal.aborted]).toEqual([undefined, false])
})

test('once disposed, the timer for the rest of its output is cleared', () => {
  stopClock()
  const deadline = deadlineOf(new AbortController().signal)
  void deadline.run((ended) => {
    ended()
    return untilStopped(deadline)()
  })
  expect(vi.getTimerCount()).toBeGreaterThan(0)
  deadline[Symbol.dispose]()
  expect(vi.getTimerCount()).toBe(0)
})

test('a program that wrote too much is at its output limit, also where it ended before it could be stopped', async () => {
  using deadline = deadlineOf(new AbortController().signal)
  const end = await deadline.run(async () => {
    deadline.stop('output-limit')
    return { exitCode: 0, endedByItself: true }
  })
  expect(end).toMatchObject({ status: 'output-limit', exitCode: 137, notice: { code: 'output-limit' } })
})

test('a time limit that passed before the program was begun is not the reason where the driver names another', async () => {
  const loss = { code: 'died', message: 'The engine does not answer.' } as const
  const run = (reason: 'timeout' | 'cancelled') => {
    using deadline = deadlineOf(new AbortController().signal)
    return deadline.run(async () => {
      deadline.stop(reason)
      return { status: 'died', loss }
    })
  }
  expect(await run('timeout')).toMatchObject({ status: 'died', exitCode: 255, notice: loss })
  expect(await run('cancelled')).toMatchObject({ status: 'cancelled', exitCode: 125 })
})

test('nothing is run behind a reason to stop', async () => {
  using deadline = deadlineOf(AbortSignal.abort())
  let runCount = 0
  const end = await deadline.run(async () => ({ exitCode: runCount++ }))
  expect([end.status, end.exitCode, runCount]).toEqual(['cancelled', 125, 0])
})

test('each outcome has its status and its exit code', ({ everyRow }) =>
  everyRow<[Outcome, status: string, exitCode: number]>(
    [
      [{ exitCode: 0 }, 'ok', 0],
      [{ exitCode: 3 }, 'error', 3],
      [{ exitCode: 137 }, 'error', 137],
      [{ status: 'out-of-memory' }, 'out-of-memory', 137],
      [{ status: 'died' }, 'died', 255],
      [{ status: 'denied' }, 'denied', 126],
      [{ status: 'invalid' }, 'invalid', 126],
      [{ status: 'invalid', exitCode: 127 }, 'invalid', 127],
      [{ status: 'skipped' }, 'skipped', 0],
      [{ status: 'timeout' }, 'timeout', 124],
      [{ status: 'cancelled' }, 'cancelled', 125],
      [{ status: 'output-limit' }, 'output-limit', 137],
    ],
    (outcome, status, exitCode) => {
      expect(blockEnd(outcome)).toEqual({ status, exitCode })
    },
  ))
