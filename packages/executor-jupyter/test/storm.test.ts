// @module-tag nightly

import { setTimeout as sleep } from 'node:timers/promises'
import type { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { Random } from '@fenced/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { rounds } from './rounds.ts'
import { python, run } from './support.ts'

describeBothWays((create) => {
  let executor: JupyterCodeExecutor
  beforeAll(async () => {
    executor = create({ interruptGraceMs: 20_000 })
    await executor.start()
  })
  afterAll(() => executor.stop())

  test('cancelling at any moment loses no variables', { timeout: 120_000 * rounds }, async () => {
    await run(executor, 'kept = 7')
    const random = new Random(23)
    for (let count = 0; count < 24 * rounds; count++) {
      const controller = new AbortController()
      const isLong = count % 3 === 0
      const execution = executor.execute([python(isLong ? 'import time; time.sleep(100)' : 'y = 1')], {
        signal: controller.signal,
      })
      // Most of what can go wrong does so while the cell begins.
      await sleep(random.whole(0, count % 2 === 0 ? 10 : 200))
      controller.abort()
      const result = await execution
      expect(result.blocks.flatMap(({ notices }) => notices)).not.toContainEqual(
        expect.objectContaining({ code: 'state-lost' }),
      )
    }
    expect((await run(executor, 'print(kept)')).output).toBe('7\n')
  })

  test('what was cancelled before it could be sent does not run', async () => {
    await run(executor, 'ran = 0')
    for (let microtasks = 0; microtasks < 12; microtasks++) {
      const controller = new AbortController()
      const execution = executor.execute([python('ran += 1')], { signal: controller.signal })
      for (let turn = 0; turn < microtasks; turn++) await undefined
      controller.abort()
      expect(await execution).toMatchObject({ status: 'cancelled' })
    }
    expect((await run(executor, 'print(ran)')).output).toBe('0\n')
  })
})
