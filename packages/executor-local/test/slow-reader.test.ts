// @module-tag all

import { setTimeout as sleep } from 'node:timers/promises'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { describe, expect, it } from 'vitest'

describe.each([false, true])('a program whose output is read slowly, warm: %s', (warm) => {
  it('has its own exit code once it has ended, whatever its time limit is', async () => {
    await using executor = new LocalCommandLineCodeExecutor({ warm, timeoutMs: 4_000 })
    await executor.execute([{ language: 'python', code: '' }])
    // More than the reader may be behind, and the rest of it fits into the pipe.
    const code = `import os\nfor n in range(4): os.write(1, b"x" * 65536)\nos._exit(3)`
    const execution = executor.execute([{ language: 'python', code }])
    // Longer than the program may take.
    let pauseMs = 4_500
    for await (const { type } of execution) {
      if (type !== 'stdout') continue
      await sleep(pauseMs)
      pauseMs = 0
    }
    const { status, exitCode } = await execution
    expect({ status, exitCode }).toEqual({ status: 'error', exitCode: 3 })
  })
})
