import { expect, it } from 'vitest'
import { boundedBy, defaultLimits, limitsInForceOf, limitsOfHost } from './container-limits.ts'

it('a limit that the engine does not hold is not in force', () => {
  const asked = limitsOfHost(defaultLimits)
  expect(limitsInForceOf(asked)).toEqual(defaultLimits)
  // Docker Engine without the memory and pids controllers answers with a warning, and sets these.
  expect(limitsInForceOf({ ...asked, Memory: 0, PidsLimit: null })).toEqual({ cpus: 1 })
  expect(limitsInForceOf({ PidsLimit: -1, CpuQuota: -1, CpuPeriod: 100_000 })).toEqual({})
  expect(limitsInForceOf({ CpuQuota: 50_000, CpuPeriod: 100_000 })).toEqual({ cpus: 0.5 })
})

it('promises no limit of the disk', () => {
  expect(boundedBy(defaultLimits)).toEqual({ memory: true, processes: true, cpu: true })
  expect(boundedBy({ memoryBytes: false, cpus: false, pids: false })).toEqual({
    memory: false,
    processes: false,
    cpu: false,
  })
})
