import type { CodeBlock } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { SandboxPool } from '@fenced/sandbox'
import { TurnQueue } from '@fenced/shared'
import type { Bench } from './measure.ts'
import { beside, compare } from './measure.ts'

const userCount = 200
const max = 20
const neverAborted = new AbortController().signal
const blocks: readonly CodeBlock[] = [{ language: 'sh', code: 'echo here >> visits; wc -l < visits' }]

/** 200 users at once, each with a session that keeps its files, over 20 executors; and the same users without a pool, 20 at a time. */
export const poolBench: Bench = async ({ rounds = 3 }) => {
  const users = Array.from({ length: userCount }, (_, index) => `user ${index}`)
  await using pool = new SandboxPool({
    create: ({ workDir }) => new LocalCommandLineCodeExecutor({ workDir }),
    ...{ size: 0, max },
  })
  const visit = async (user: string) => {
    await using lease = await pool.get(user, { user })
    return await lease.resource.execute(blocks)
  }
  const turns = new TurnQueue(max)
  const visitAlone = async () => {
    using _turn = await turns.take(neverAborted)
    await using executor = new LocalCommandLineCodeExecutor()
    return await executor.execute(blocks)
  }
  const { pooled, alone } = await compare({
    rounds,
    warmUpRounds: 1,
    contenders: {
      pooled: () => Promise.all(users.map(visit)),
      alone: () => Promise.all(users.map(visitAlone)),
    },
  })
  const measured = `${userCount} users over ${max} sandboxes ÷ a new sandbox for each`
  return beside({ measured, ours: pooled, reference: alone })
}
