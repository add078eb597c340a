// @module-tag nightly

import { type CodeResult, exitCodes } from '@fenced/core'
import { processesLeft, Random, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { noticeCodes, printed, python } from './blocks.ts'
import { requests } from './faults/fault.ts'
import { expectTrue, outcomeOf, tried } from './faults/trial.ts'
import { docker } from './requirements.ts'
import { rounds } from './rounds.ts'

const options = { image: 'fenced-test/python', warm: {}, overTcp: true } as const

/** Of the histories of many faults. */
const seeds = Array.from({ length: 2 * rounds }, (_, index) => 80 + index)

describe.skipIf(docker.missing)('faults under warm blocks', { concurrent: true, timeout: 150_000 }, () => {
  it.each(seeds)('each block ends truly when connections break anywhere: seed %i', async (seed) => {
    const counts = { right: 0, died: 0, rejected: 0 }
    await tried(options, async ({ proxy, executor }) => {
      const random = new Random(seed)
      proxy.add(({ path }) => {
        if (!requests.startExec.path.test(path)) return undefined
        return { breakAt: random.whole(0, 400), by: random.one(['end', 'reset']) }
      })
      for (let number = 0; number < 40; number++) {
        const exitCode = random.one([0, 0, 3, 200])
        const block = python(
          'import sys',
          `print("out ${number}")`,
          `print("err ${number}", file=sys.stderr)`,
          `sys.exit(${exitCode})`,
        )
        const outcome = await outcomeOf<CodeResult>(executor.execute([block], { timeoutMs: 30_000 }))
        const expected = { stdout: `out ${number}\n`, stderr: `err ${number}\n`, exitCode }
        counts[expectTrue(outcome, expected)]++
        if ('blocks' in outcome) expect(noticeCodes(outcome)).not.toContain('not-warm')
      }
      proxy.heal()
      expect(await printed(executor, python('print("usable")'))).toBe('usable\n')
    })
    console.log(`Seed ${seed}:`, counts)
    expect(counts.right).toBeGreaterThan(0)
    expect(counts.died).toBeGreaterThan(0)
  })

  it('a time limit ends the block all the same when the engine is silent', async () => {
    await tried({ ...options, killGraceMs: 500 }, async ({ proxy, executor }) => {
      const seconds = uniqueSeconds()
      await executor.execute([python('pass')])
      const block = python('import time', 'print("early")', `time.sleep(${seconds})`)
      const execution = executor.execute([block], { timeoutMs: 2_000 })
      for await (const { type } of execution) if (type === 'stdout') proxy.freeze()
      const result = await outcomeOf<CodeResult>(execution)
      expect(result).toMatchObject({ status: 'died', exitCode: exitCodes.died })
      expect((result as CodeResult).blocks[0]?.notices).toContainEqual(
        expect.objectContaining({
          code: 'died',
          data: { backend: expect.stringContaining(proxy.tcpAddress) },
        }),
      )
      proxy.heal()
      expect(await printed(executor, python('print("usable")'))).toBe('usable\n')
      expect(await processesLeft(`${seconds}`)).toEqual([])
    })
  })
})
