import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CodeBlock } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import type { Bench } from './arguments.ts'
import { bareProcess } from './bare-process.ts'
import { compare, type Measured } from './compare.ts'
import { logLines } from './log-lines.ts'
import { programOutput } from './program-output.ts'
import { type Row, throughput } from './row.ts'
import { scratchDirectory } from './scratch-directory.ts'

const byteCount = 100e6

/** 100 MB of output under the default limits, and the same program on a pipe whose reader only counts. */
export const outputBench: Bench = async ({ rounds = 30 }) => {
  await using executor = new LocalCommandLineCodeExecutor()
  await using scratch = await scratchDirectory()
  const file = join(scratch.path, 'output.txt')
  await writeFile(file, logLines(byteCount))
  const block: CodeBlock = { language: 'sh', code: `exec cat '${file}'\n` }
  const script = join(scratch.path, 'program.sh')
  await writeFile(script, block.code)
  const shell = await programOutput(executor, { language: 'sh', code: 'command -v sh' })

  const { awaited, iterated, piped } = await compare({
    rounds,
    contenders: {
      awaited: () => executor.execute([block]),
      iterated: () => countEvents(executor, block),
      piped: () => bareProcess(shell, [script]),
    },
  })
  return [
    { ...row('100 MB of output, awaited ÷ bare pipe', awaited, piped), ...goal(awaited.p50 / piped.p50) },
    row('100 MB of output, iterated ÷ bare pipe', iterated, piped),
  ]
}

async function countEvents(executor: LocalCommandLineCodeExecutor, block: CodeBlock): Promise<number> {
  let length = 0
  for await (const event of executor.execute([block]))
    if (event.type === 'stdout') length += event.text.length
  if (length !== byteCount) throw new Error(`${length} characters arrived instead of ${byteCount}.`)
  return length
}

function row(measured: string, ours: Measured, reference: Measured): Row {
  return {
    measured,
    unit: 'MB/s',
    rounds: ours.times.length,
    ours: throughput(ours, byteCount),
    reference: throughput(reference, byteCount),
    ratio: ours.p50 / reference.p50,
    note: `${ours.p50.toFixed(0)} ms beside ${reference.p50.toFixed(0)} ms`,
  }
}

function goal(ratio: number): Pick<Row, 'goal' | 'met'> {
  return { goal: '≤ 1', met: ratio <= 1 }
}
