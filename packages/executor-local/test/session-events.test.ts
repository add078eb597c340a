// @module-tag all

import { describeSessionEvents } from '@fenced/testing'
import { describe, expect, it, vi } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap, python, resourceLimits } from './requirements.ts'

const vitest = { describe, expect, it, vi }
const limits = resourceLimits.missing ? {} : { memoryBytes: 300 * 2 ** 20, pids: 256 }

describe.skipIf(process.platform !== 'linux' || python.missing)('events', () => {
  describeSessionEvents(vitest, 'a local process', {
    create: (options) => new LocalCommandLineCodeExecutor({ ...options, stateful: true }),
    sharesProcesses: true,
    limitsMemory: false,
    recreatedDirectory: 'state-kept',
    inheritsUmask: true,
    isolates: false,
    keeperIsProcess1: false,
  })
})

describe.skipIf(bubblewrap.missing)('events', () => {
  describeSessionEvents(vitest, 'bubblewrap', {
    create: (options) =>
      new LocalCommandLineCodeExecutor({ ...options, ...limits, isolation: 'bubblewrap', stateful: true }),
    sharesProcesses: false,
    limitsMemory: !resourceLimits.missing,
    recreatedDirectory: 'state-lost',
    inheritsUmask: true,
    isolates: true,
    keeperIsProcess1: true,
  })
})

describe.skipIf(bubblewrap.missing)('events', () => {
  it('10. keeps variables when a cell ends the helper of its network, and says so', async () => {
    const network = { allowedHosts: ['example.org'] }
    await using executor = new LocalCommandLineCodeExecutor({
      isolation: 'bubblewrap',
      network,
      stateful: true,
    })
    const run = async (code: string) => {
      const { blocks } = await executor.execute([{ language: 'python', code }])
      return { stdout: blocks[0]?.stdout, codes: blocks[0]?.notices.map(({ code }) => code) }
    }
    await run('x = 41')
    const ended = await run(endsHelper)
    const next = await run('print(x)')
    expect([...(ended.codes ?? []), ...(next.codes ?? [])]).toEqual(['state-kept'])
    expect(next.stdout).toBe('41\n')
  })
})

/** In its process table, only the helper is started with `-I -S`. */
const endsHelper = `
import os, signal
for name in os.listdir("/proc"):
    if name.isdigit() and b"-I\\0-S" in open(f"/proc/{name}/cmdline", "rb").read():
        os.kill(int(name), signal.SIGKILL)
`
