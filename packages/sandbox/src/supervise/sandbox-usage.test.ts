import { expect, it } from 'vitest'
import { usageIn } from './sandbox-usage.ts'

it('a usage has what the command in a sandbox printed, in its units', () => {
  const output = 'microseconds 1500\nmemory 5000\ncache 1000\npeak 6000\nprocesses 3\nkibibytes 2\n'
  expect(usageIn(output)).toEqual({
    cpuMs: 1.5,
    memoryBytes: 4_000,
    peakMemoryBytes: 6_000,
    processes: 3,
    diskBytes: 2_048,
  })
})

it('a usage leaves out what is not known, and what is not a number', () => {
  expect(usageIn('')).toEqual({})
  expect(usageIn('memory max\nprocesses\nnanoseconds 1x\ncpuMs 4\n')).toEqual({})
  expect(usageIn('nanoseconds 2000000\n')).toEqual({ cpuMs: 2 })
})
