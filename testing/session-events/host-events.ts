import { spawnSync } from 'node:child_process'
import { processesLeft, sessionProcesses, stillRunning } from '../processes.ts'
import { uniqueSeconds } from '../unique-seconds.ts'
import { markCell, Session } from './session-place.ts'
import { type SessionRows, startSleep } from './session-row.ts'

/** Events beside the programs of a session. */
export const hostEvents = {
  'the idle time of a resident Python': ({ inSession, expectFate, vi }) =>
    inSession(async (session) => {
      await session.shell('true')
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      try {
        vi.advanceTimersByTime(400_000)
      } finally {
        vi.useRealTimers()
      }
      await expectFate(session)
    }),

  'the idle time of its container': ({ inSession, expectFate, expect, place }) => {
    const executor = place.create({ idleTimeoutMs: 3_000 })
    return inSession(async (session) => {
      const mark = `${uniqueSeconds()}`
      await session.python(markCell(mark))
      const processes = sessionProcesses(mark)
      expect(processes.length).toBeGreaterThanOrEqual(2)
      // The container has the timer.
      while ((await stillRunning(processes)).length > 0);
      // Its end may become known only by this cell.
      const found = await session.python('x')
      await expectFate(session, found)
    }, executor)
  },

  'a changed umask of the host': ({ inSession, expectFate }) =>
    inSession(async (session) => {
      const before = process.umask(0o027)
      try {
        await expectFate(session)
      } finally {
        process.umask(before)
      }
    }),

  'changed limits of the host': ({ inSession, expectFate, expect }) =>
    inSession(async (session) => {
      const { stdout } = spawnSync('prlimit', [
        `--pid=${process.pid}`,
        '--nofile',
        '-o',
        'SOFT',
        '--noheadings',
      ])
      const before = Number(stdout.toString())
      const limit = (soft: number) => spawnSync('prlimit', [`--pid=${process.pid}`, `--nofile=${soft}:`])
      expect(limit(before - 1).status).toBe(0)
      try {
        await expectFate(session)
      } finally {
        limit(before)
      }
    }),

  'a cut connection': async ({ inSession, expectFate, place }) => {
    await using connection = await place.connect?.()
    await inSession(
      async (session) => expectFate(session, await session.during(() => connection?.cut())),
      connection?.executor,
    )
  },

  'a silent connection in a cell': async ({ inSession, expectFate, place }) => {
    await using connection = await place.connect?.()
    await inSession(
      async (session) => expectFate(session, await session.during(() => connection?.silence(), 2_000)),
      connection?.executor,
    )
  },

  'a silent connection between cells': async ({ inSession, expectFate, vi, place }) => {
    await using connection = await place.connect?.()
    await inSession(async (session) => {
      connection?.silence()
      const now = performance.now.bind(performance)
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000)
      try {
        await expectFate(session)
      } finally {
        clock.mockRestore()
      }
    }, connection?.executor)
  },

  'a pool that needs the place': async ({ expect, place }) => {
    const pool = place.createPool()
    try {
      const first = await pool.get('ada')
      await new Session(first.resource).python('x = 41')
      await first.release()
      const other = await pool.get('bob')
      expect((await new Session(other.resource).python('print("x" in globals())')).stdout).toBe('False\n')
      await expect(new Session(first.resource).python('x')).rejects.toMatchObject({
        code: 'EXECUTOR_STOPPED',
      })
      await other.release()
      const again = await pool.get('ada')
      expect(again.notice?.code).toBe(place.outcomes['a pool that needs the place'])
      expect((await new Session(again.resource).python('print("x" in globals())')).stdout).toBe('False\n')
    } finally {
      await pool.stop()
    }
  },

  'a restart': ({ inSession, expect }) =>
    inSession(async (session) => {
      const seconds = uniqueSeconds()
      await session.python(startSleep(seconds))
      await session.executor.restart()
      expect((await session.python('print("x" in globals())')).stdout).toBe('False\n')
      expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
    }),
} satisfies Partial<SessionRows>
