// @module-tag all

import type { Isolation } from '@fenced/core'
import { expect, it } from 'vitest'
import { createExecutor } from '../src/executor.ts'
import { type ExecutorOptions, executorNames } from '../src/executor-options.ts'
import { checkOptions, executorsWith, optionProblem } from '../src/particular-options.ts'

const particular: readonly Partial<ExecutorOptions>[] = [
  {},
  { stateful: true },
  { image: 'x' },
  { packages: ['rich'] },
  { python: '.venv' },
  { network: { option: 'open', asks: false } },
]
const executors: readonly ExecutorOptions['executor'][] = ['auto', ...executorNames, 'file:///mine.ts']

/** All combinations of executors, isolations and two other options. */
const combinations = executors.flatMap((executor) =>
  ([undefined, 'none', 'bubblewrap'] as const).flatMap((isolation) =>
    particular.flatMap((one) =>
      particular.map(
        (other): ExecutorOptions => ({ executor, ...one, ...other, ...(isolation && { isolation }) }),
      ),
    ),
  ),
)

const order: readonly Isolation[] = ['none', 'bubblewrap', 'container', 'vm']

/** The weakest isolation with which code may run. */
async function isolationOf(options: ExecutorOptions): Promise<number> {
  const { executor, isolation } = options
  if (executor === 'auto') return order.indexOf(isolation === 'none' ? 'none' : 'bubblewrap')
  // It may be anything, also the strongest.
  if (executor.startsWith('file:')) return order.indexOf('container')
  const created = await createExecutor({
    executor: executor as (typeof executorNames)[number],
    ...(isolation && { isolation }),
  })
  return order.indexOf(created.capabilities.isolation)
}

it('no advice about options leads to weaker isolation or to another error', async () => {
  let conflicts = 0
  for (const options of combinations) {
    if (optionProblem(options) === undefined) continue
    conflicts++
    const before = await isolationOf(options)
    for (const executor of executorsWith(options)) {
      const advised = { ...options, executor }
      expect(optionProblem(advised)).toBeUndefined()
      expect(await isolationOf(advised), JSON.stringify([options, executor])).toBeGreaterThanOrEqual(before)
    }
  }
  expect(conflicts).toBeGreaterThan(100)
})

it('an option that only executors with weaker isolation have is advised to be removed', () => {
  const options = { executor: 'docker', python: '.venv' } as const
  expect(executorsWith(options)).toEqual([])
  expect(() => checkOptions(options)).toThrow('--python')
})

it.each([
  ['jupyter', 'Remove --stateful: a kernel always keeps variables.'],
  ['file:///mine.ts', 'Remove --stateful, and set it in the module.'],
] as const)('--stateful with --executor %s has an advice', (executor, advice) => {
  const title = executor === 'jupyter' ? executor : '/mine.ts'
  expect(() => checkOptions({ executor, stateful: true })).toThrow(
    `--stateful cannot be used with --executor ${title}. ${advice}`,
  )
})
