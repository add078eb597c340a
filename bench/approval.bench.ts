import { join } from 'node:path'
import { askingExecutor, fileLedger } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import type { Bench } from './measure.ts'
import { compare, differenceOf, type Row, scratchDirectory } from './measure.ts'

/** A block that a rule allows, with its decision in memory and in a directory, beside the block alone. */
export const approvalBench: Bench = async ({ rounds = 200 }) => {
  await using executor = new LocalCommandLineCodeExecutor()
  await using scratch = await scratchDirectory()
  const ask = { code: () => ({ decision: 'allow' }) as const }
  const approved = {
    memory: askingExecutor(executor, ask),
    directory: askingExecutor(executor, ask, { ledger: fileLedger(join(scratch.path, 'ledger')) }),
  }
  const blocks = [{ language: 'python', code: 'print(1)\n' }]
  const { alone, memory, directory } = await compare({
    rounds,
    warmUpRounds: 10,
    contenders: {
      alone: () => executor.execute(blocks),
      memory: () => approved.memory.execute(blocks),
      directory: () => approved.directory.execute(blocks),
    },
  })
  const row = (measured: string, ours: typeof alone): Row => ({
    measured,
    unit: 'ms',
    rounds: ours.times.length,
    ours: { p50: ours.p50, p95: ours.p95 },
    reference: { p50: alone.p50, p95: alone.p95 },
    ratio: ours.p50 / alone.p50,
    note: `${differenceOf(ours, alone).toFixed(2)} ms more in the same round`,
  })
  return [row('approved block, ledger in memory', memory), row('approved block, file ledger', directory)]
}
