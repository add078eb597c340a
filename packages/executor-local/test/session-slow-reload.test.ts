// @module-tag nightly

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BlockResult, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { describe, expect, test } from 'vitest'

/** A module that takes time to import from its second import on. */
const module = (seconds: number) => `
import os, time
if os.path.exists("again"): time.sleep(${seconds})
open("again", "w").close()
class Value:
    def __eq__(self, other): return isinstance(other, Value)
`
/** A copy of a pool of processes cannot continue. */
const withPool =
  'import multiprocessing, slow_module\npool = multiprocessing.Pool(1)\nvalue = slow_module.Value()'
const stuck = 'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass'

async function executorWithPool(importSeconds: number): Promise<LocalCommandLineCodeExecutor> {
  const executor = new LocalCommandLineCodeExecutor({ stateful: true, killGraceMs: 500 })
  await executor.start()
  writeFileSync(join(executor.workDir, 'slow_module.py'), module(importSeconds))
  expect((await cell(executor, withPool)).status).toBe('ok')
  return executor
}

async function cell(executor: LocalCommandLineCodeExecutor, code: string, timeoutMs = 60_000) {
  const { blocks } = await executor.execute([{ language: 'python', code }], { timeoutMs })
  return blocks[0] as BlockResult
}

describe.skipIf(process.platform !== 'linux')('a session whose modules take long to import', () => {
  test('gets its variables back after a cell that had to be killed', async () => {
    // Longer than a block without variables may take to stop.
    await using executor = await executorWithPool(15)
    const { status, notices } = await cell(executor, stuck, 1_000)
    expect([status, notices.map(({ code }) => code)]).toEqual(['timeout', ['state-reloaded', 'timeout']])
    expect((await cell(executor, 'print(value == slow_module.Value())')).stdout).toBe('True\n')
  })

  test('does not get them back when the executor stops', async () => {
    // Longer than this test may take.
    await using executor = await executorWithPool(3_600)
    const stopped = cell(executor, stuck, 1_000)
    await new Promise((resolve) => setTimeout(resolve, 4_000))
    await executor.stop()
    expect((await stopped).notices.map(({ code }) => code)).toContain('state-lost')
  })
})
