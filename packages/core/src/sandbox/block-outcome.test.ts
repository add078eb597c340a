import { expect, it } from 'vitest'
import type { Notice } from '../code-result.ts'
import { outcomeOf } from './block-outcome.ts'

it('a program that reached its memory limit is told so by the name of the limit, which is no option everywhere', () => {
  const notices: Notice[] = []
  const end = { kind: 'exited', exitCode: 137, wasStopped: false, outOfMemory: true } as const
  const outcome = outcomeOf(end, { notice: (notice) => void notices.push(notice) })
  expect(outcome).toEqual({ status: 'out-of-memory' })
  expect(notices).toMatchObject([{ code: 'out-of-memory', data: { limit: 'memoryBytes' } }])
})
