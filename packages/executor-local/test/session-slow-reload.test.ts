// @module-tag nightly

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BlockResult, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { expect, test } from 'vitest'

/** Longer than a block without variables may take to stop. */
const importSeconds = 15

test.skipIf(process.platform !== 'linux')(
  'a new Python that takes long to import the modules of the variables takes the place of one that was killed',
  async () => {
    await using executor = new LocalCommandLineCodeExecutor({ stateful: true, killGraceMs: 500 })
    await executor.start()
    const module = `
import os, time
if os.path.exists("again"): time.sleep(${importSeconds})
open("again", "w").close()
class Value:
    def __eq__(self, other): return isinstance(other, Value)
`
    writeFileSync(join(executor.workDir, 'slow_module.py'), module)
    const cell = async (code: string, timeoutMs = 60_000): Promise<BlockResult> =>
      (await executor.execute([{ language: 'python', code }], { timeoutMs })).blocks[0] as BlockResult
    // A copy of a pool of processes cannot continue.
    await cell(
      'import multiprocessing, slow_module\npool = multiprocessing.Pool(1)\nvalue = slow_module.Value()',
    )
    const stuck = 'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass'
    const { status, notices } = await cell(stuck, 1_000)
    expect([status, notices.map(({ code }) => code)]).toEqual(['timeout', ['state-reloaded', 'timeout']])
    expect((await cell('print(value == slow_module.Value())')).stdout).toBe('True\n')
  },
)
