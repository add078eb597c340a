import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { SandboxPool } from '@fenced/sandbox'
import { processesLeft, rowTags, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { bubblewrap, python } from './requirements.ts'

const language = 'python'

describe.skipIf(python.missing || process.platform !== 'linux').each([
  ['without isolation', { isolation: 'none' } as const],
  ['in bubblewrap', { isolation: 'bubblewrap' } as const],
])('a paused sandbox %s', rowTags({ all: ['in bubblewrap'] }), (_, options) => {
  const isMissing = options.isolation === 'bubblewrap' && bubblewrap.missing

  it.skipIf(isMissing)('stops the time limit of a block, and starts no other', async () => {
    await using executor = new LocalCommandLineCodeExecutor({ ...options, timeoutMs: 6_000 })
    const running = executor.execute([
      { language, code: 'import time; print(1, flush=True); time.sleep(0.3)' },
    ])
    for await (const { type } of running) {
      if (type !== 'stdout') continue
      await executor.sandbox?.pause()
      // Longer than the block may take.
      setTimeout(() => executor.sandbox?.resume(), 6_200)
    }
    expect(await running).toMatchObject({ status: 'ok', output: '1\n' })
    await executor.sandbox?.pause()
    const again = [{ language, code: 'print(2)' }]
    await expect(executor.execute(again)).rejects.toMatchObject({ code: 'SANDBOX_PAUSED' })
    await executor.sandbox?.resume()
    expect((await executor.execute(again)).output).toBe('2\n')
  })

  it.skipIf(isMissing)('ends a block that is cancelled, with all its processes', async () => {
    await using executor = new LocalCommandLineCodeExecutor(options)
    const seconds = uniqueSeconds()
    const controller = new AbortController()
    const code = `import subprocess\nsubprocess.Popen(['setsid', 'sleep', '${seconds}'])\nprint(1, flush=True)\nwhile True: pass`
    const running = executor.execute([{ language, code }], { signal: controller.signal })
    for await (const { type } of running) {
      if (type !== 'stdout') continue
      await executor.sandbox?.pause()
      controller.abort()
    }
    expect((await running).status).toBe('cancelled')
    expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
  })
})

it.skipIf(process.platform !== 'linux')(
  'a pool counts a paused sandbox, and keeps it for its session',
  async () => {
    await using pool = new SandboxPool({ create: () => new LocalCommandLineCodeExecutor(), size: 0, max: 1 })
    const lease = await pool.get('session')
    await lease.resource.sandbox?.pause()
    await lease.release()
    expect(pool.state).toMatchObject({ inUse: 1 })
    const again = await pool.get('session')
    expect(again.resource).toBe(lease.resource)
    expect(again.resource.sandbox?.isPaused).toBe(true)
    await again.release()
  },
)
