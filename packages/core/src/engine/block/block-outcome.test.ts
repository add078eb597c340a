import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { ProcessEnd } from '../../sandbox/sandbox-process.ts'
import type { Notice } from '../../vocabulary/code-result.ts'
import { outcomeOf } from './block-outcome.ts'

it('a program that reached its memory limit is told so by the name of the limit, which is no option everywhere', () => {
  const notices: Notice[] = []
  const end = { kind: 'exited', exitCode: 137, wasStopped: false, outOfMemory: true } as const
  const outcome = outcomeOf(end, { notice: (notice) => void notices.push(notice) })
  expect(outcome).toEqual({ status: 'out-of-memory' })
  expect(notices).toMatchObject([{ code: 'out-of-memory', data: { limit: 'memoryBytes' } }])
})

it.each([
  ['not-found', 127],
  ['not-executable', 126],
] as const)(
  'a program that was not started (%s) is invalid, with the exit code of a shell',
  (reason, exitCode) => {
    const notices: Notice[] = []
    const end = { kind: 'not-started', reason, message: 'It is missing.' } as const
    const outcome = outcomeOf(end, { notice: (notice) => void notices.push(notice) })
    expect(outcome).toEqual({ status: 'invalid', exitCode })
    expect(notices).toEqual([{ code: 'not-started', message: 'It is missing.' }])
  },
)

describe('a process that was killed for memory beside the program', () => {
  const sandbox = { capabilities: { isolation: 'container' }, limitsInForce: { memoryBytes: 100 } } as Sandbox
  const ended = { kind: 'exited', exitCode: 0, wasStopped: false } as const

  function outcomeIn(where: Sandbox | undefined, end: ProcessEnd): { outcome: unknown; notices: Notice[] } {
    const notices: Notice[] = []
    const outcome = outcomeOf(end, { notice: (notice) => void notices.push(notice) }, where)
    return { outcome, notices }
  }

  it('is a notice, with the limit where one is in force', () => {
    const { outcome, notices } = outcomeIn(sandbox, { ...ended, memoryKills: 2 })
    expect(outcome).toEqual({ exitCode: 0, endedByItself: true })
    const data = { limit: 'memoryBytes', limitBytes: '100' }
    expect(notices).toMatchObject([{ code: 'process-out-of-memory', data }])
    const unbounded = outcomeIn({ ...sandbox, limitsInForce: {} }, { ...ended, memoryKills: 1 })
    expect(unbounded.notices).toEqual([
      { code: 'process-out-of-memory', message: expect.not.stringContaining('bytes') },
    ])
  })

  it('is none where none was killed, the program itself was, or its sandbox has no count of its own', () => {
    expect(outcomeIn(sandbox, ended).notices).toEqual([])
    const killed = outcomeIn(sandbox, { ...ended, exitCode: 137, outOfMemory: true, memoryKills: 1 })
    expect(killed.notices).toMatchObject([{ code: 'out-of-memory' }])
    const open = { ...sandbox, capabilities: { ...sandbox.capabilities, isolation: 'none' } } as Sandbox
    expect(outcomeIn(open, { ...ended, memoryKills: 1 }).notices).toEqual([])
  })
})
