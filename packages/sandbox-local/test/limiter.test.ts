import type { Notice } from '@fenced/core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ControlGroups } from '../src/isolation/control-groups.ts'
import { findLimiter } from '../src/isolation/limiter.ts'
import type { Limiter, Limits } from '../src/isolation/limits.ts'
import { SystemdScopes } from '../src/isolation/systemd-scopes.ts'

/** A limiter that bounds nothing: its commands run as they are. */
function limiterOf(limits: Limits): Limiter {
  const wrap = (command: readonly string[]) => ({
    command: command as [string],
    countKills: () => 0,
    memoryUse: () => undefined,
    end: () => {},
  })
  return { limits, wrap, end: async () => {} }
}

/** A machine that can hold some limits. */
async function found(can: readonly (keyof Limits)[], wanted: Parameters<typeof findLimiter>[0]) {
  const find = (limits: Limits) =>
    Object.keys(limits).every((name) => can.includes(name as keyof Limits))
      ? limiterOf(limits)
      : 'It lacks one.'
  vi.spyOn(ControlGroups, 'find').mockImplementation(find as typeof ControlGroups.find)
  vi.spyOn(SystemdScopes, 'find').mockImplementation(async (limits) => find(limits) as SystemdScopes | string)
  onTestFinished(() => void vi.restoreAllMocks())
  const notices: Notice[] = []
  const context = {
    signal: new AbortController().signal,
    notice: (notice: Notice) => void notices.push(notice),
  }
  const limiter = await findLimiter(wanted, context)
  return { limits: limiter?.limits, codes: notices.map(({ code }) => code) }
}

describe.runIf(process.platform === 'linux')('limits', () => {
  it('are those that were asked for, and the defaults', async () => {
    expect(await found(['memoryBytes', 'pids', 'cpus'], { memoryBytes: 65_536, cpus: 1 })).toEqual({
      limits: { memoryBytes: 65_536, pids: 256, cpus: 1 },
      codes: [],
    })
    expect(await found([], { memoryBytes: false, pids: false })).toEqual({ limits: undefined, codes: [] })
  })

  it('of a machine that lacks the defaults are those that were asked for, and a notice says so', async () => {
    expect(await found(['pids'], { pids: 50 })).toEqual({
      limits: { pids: 50 },
      codes: ['limits-unavailable'],
    })
    expect(await found([], {})).toEqual({ limits: undefined, codes: ['limits-unavailable'] })
  })

  it('that were asked for and cannot be held stop the start', async () => {
    await expect(found(['pids'], { memoryBytes: 65_536 })).rejects.toMatchObject({
      code: 'LIMITS_UNAVAILABLE',
    })
  })
})
