import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { rowTags } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { bubblewrap, python } from './requirements.ts'

const language = 'python'
/** Spends 150 ms of processor time in itself, and 150 ms in a child. */
const busy = `
import os, time
def spend(): 
    while time.process_time() < 0.15: pass
if os.fork() == 0:
    spend()
    os._exit(0)
spend()
os.wait()
`

describe.skipIf(python.missing).each([
  ['without isolation', { isolation: 'none' } as const],
  ['in bubblewrap', { isolation: 'bubblewrap' } as const],
])('the usage of a block %s', rowTags({ all: ['in bubblewrap'] }), (_, options) => {
  const isMissing = options.isolation === 'bubblewrap' && bubblewrap.missing

  it.skipIf(isMissing)(
    'has the processor time of a program and its children, and of no other block',
    async () => {
      await using executor = new LocalCommandLineCodeExecutor(options)
      const { blocks } = await executor.execute([
        { language, code: busy },
        { language, code: 'print(1)' },
        { language: 'sh', code: 'echo 1' },
      ])
      const times = blocks.map(({ usage }) => usage?.cpuMs ?? Number.NaN)
      expect(times[0]).toBeGreaterThanOrEqual(300)
      expect(times[0]).toBeLessThan(10_000)
      for (const time of times.slice(1)) expect(time).toBeLessThan(300)
    },
  )

  it.skipIf(isMissing)(
    'has the memory of the largest process, also of a program that was stopped',
    async () => {
      await using executor = new LocalCommandLineCodeExecutor(options)
      const controller = new AbortController()
      const code = 'text = b"x" * 100_000_000\nprint("begun", flush=True)\nwhile True: pass'
      const execution = executor.execute([{ language, code }], { signal: controller.signal })
      for await (const { type } of execution) if (type === 'stdout') controller.abort()
      const { blocks } = await execution
      expect(blocks[0]?.status).toBe('cancelled')
      expect(blocks[0]?.usage?.peakMemoryBytes).toBeGreaterThan(100_000_000)
      expect(blocks[0]?.usage?.cpuMs).toBeGreaterThan(0)
    },
  )
})

it.skipIf(python.missing)('a block that started an interpreter of its own has no usage', async () => {
  await using executor = new LocalCommandLineCodeExecutor({ warm: false })
  const { blocks } = await executor.execute([{ language, code: 'print(1)' }])
  expect(blocks[0]?.status).toBe('ok')
  expect(blocks[0]).not.toHaveProperty('usage')
})
