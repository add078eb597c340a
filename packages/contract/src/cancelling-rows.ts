import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { CodeExecutor } from '@fenced/core'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import type { ContractRow } from './contract.ts'

/** Ending a run early, and waiting for a turn. */
export const cancellingRows: readonly ContractRow[] = [
  {
    name: 'a signal ends a running program, keeps its output, and the executor stays usable',
    needs: ['print', 'sleep'],
    async checkShared({ executor, programs: { print, sleep }, block }) {
      const seconds = uniqueSeconds()
      const controller = new AbortController()
      const execution = executor.execute([block(print('early'), sleep(seconds))], {
        signal: controller.signal,
      })
      for await (const event of execution) if (event.type === 'stdout') controller.abort()
      const result = await execution
      assert.partialDeepStrictEqual(result, { status: 'cancelled', exitCode: 125 })
      assert.match(result.output, /^early\n/)
      assert.deepEqual(await processesLeft(`${seconds}`), [])
      await assertUsable(executor, block(print('7')))
    },
  },
  {
    name: 'a signal that is aborted already runs nothing',
    needs: ['print'],
    async checkShared({ executor, programs: { print }, block }) {
      const result = await executor.execute([block(print('never'))], { signal: AbortSignal.abort() })
      assert.partialDeepStrictEqual(result, { status: 'cancelled', exitCode: 125, blocks: [] })
    },
  },
  {
    name: 'a call that is cancelled before its block runs, or while it does, leaves nothing going on',
    needs: ['sleep', 'writeFile'],
    async check({ create, programs: { sleep, writeFile }, block }) {
      await using executor = create()
      // The first one comes while the start or the preparing is under way.
      for (const delayMs of [20, 0, 1, 5, 50]) {
        const controller = new AbortController()
        const execution = executor.execute([block(sleep(1), writeFile('late.txt', 'x'))], {
          signal: controller.signal,
        })
        await wait(delayMs)
        controller.abort()
        assert.partialDeepStrictEqual(await execution, { status: 'cancelled', files: [] })
      }
      // What was left running would write its file by then.
      await wait(1_500)
      const { workDir } = executor
      if (workDir !== undefined) assert.equal(existsSync(join(workDir, 'late.txt')), false)
      assert.deepEqual((await executor.execute([])).files, [])
    },
  },
  {
    name: 'calls wait their turn, and waiting counts towards no time limit',
    needs: ['print', 'sleep'],
    async checkShared({ executor, programs: { print, sleep }, block }) {
      await executor.start()
      const [first, second] = await Promise.all([
        executor.execute([block(sleep(6), print('first'))], { timeoutMs: 60_000 }),
        executor.execute([block(print('second'))], { timeoutMs: 5_900 }),
      ])
      assert.partialDeepStrictEqual(first, { status: 'ok', output: 'first\n' })
      assert.partialDeepStrictEqual(second, { status: 'ok', output: 'second\n' })
      assert.ok(second.queuedMs > 5_900, `it waited ${second.queuedMs} ms`)
      assert.ok(second.durationMs < second.queuedMs)
    },
  },
  {
    name: 'a call that waits for its turn can be cancelled without ending the one that runs',
    needs: ['print', 'sleep'],
    async checkShared({ executor, programs: { print, sleep }, block }) {
      const running = executor.execute([block(sleep(1), print('first'))])
      const controller = new AbortController()
      const waiting = executor.execute([block(print('second'))], { signal: controller.signal })
      controller.abort()
      assert.partialDeepStrictEqual(await waiting, { status: 'cancelled', exitCode: 125, blocks: [] })
      assert.partialDeepStrictEqual(await running, { status: 'ok', output: 'first\n' })
    },
  },
  {
    name: 'stop() ends what runs and what waits',
    needs: ['print', 'sleep'],
    async check({ create, programs: { print, sleep }, block }) {
      const seconds = uniqueSeconds()
      await using executor = create()
      await executor.start()
      const running = executor.execute([block(print('begun'), sleep(seconds))])
      const waiting = executor.execute([block(print('never'))])
      for await (const { type } of running) if (type === 'stdout') void executor.stop()
      await executor.stop()
      assert.equal((await running).status, 'cancelled')
      assert.partialDeepStrictEqual(await waiting, { status: 'cancelled', blocks: [] })
      assert.deepEqual(await processesLeft(`${seconds}`), [])
    },
  },
]

async function assertUsable(executor: CodeExecutor, block: Parameters<CodeExecutor['execute']>[0][number]) {
  assert.partialDeepStrictEqual(await executor.execute([block]), { status: 'ok', output: '7\n' })
}
