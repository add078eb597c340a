import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { AutoGen } from '../autogen.ts'
import type { Row } from '../row.ts'
import { type Spread, spreadOf } from '../spread.ts'
import { outputFile } from './output.ts'

export interface MemoryOptions {
  readonly rounds: number
  readonly image: string
  readonly workDir: string
  /** The Python with AutoGen. */
  readonly autogen: string | undefined
}

const goalMiB = 64

/** By how much a process grows that takes 100 MB of output: a new one each time, that has run a small block before. */
export async function memoryRows({ rounds, image, workDir, autogen }: MemoryOptions): Promise<Row[]> {
  const ours = await spreadOver(rounds, () => growthOfOurs(image, workDir))
  const row: Row = {
    measured: 'memory: 100 MB of output, awaited',
    unit: 'MiB',
    rounds,
    ours,
    goal: `< ${goalMiB} MiB`,
    met: ours.p50 < goalMiB,
  }
  if (autogen === undefined) return [row]
  const reference = await spreadOver(rounds, () => growthOfTheirs(autogen, image, workDir))
  return [{ ...row, measured: `${row.measured} ÷ AutoGen`, reference, ratio: ours.p50 / reference.p50 }]
}

async function growthOfOurs(image: string, workDir: string): Promise<number> {
  const program = fileURLToPath(import.meta.resolve('./grow.ts'))
  const args = ['--conditions=@fenced/source', program, image, workDir]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout).grewBy
}

async function growthOfTheirs(python: string, image: string, workDir: string): Promise<number> {
  await using autogen = await AutoGen.open(python, new URL('./autogen.py', import.meta.url), [image, workDir])
  await using _started = await autogen.start()
  await autogen.run('sh', 'true')
  return (await autogen.run('sh', `cat ${outputFile}`)).grewBy
}

async function spreadOver(rounds: number, measure: () => Promise<number>): Promise<Spread> {
  const figures: number[] = []
  for (let round = 0; round < rounds; round++) figures.push((await measure()) / 2 ** 20)
  const { p50, p95 } = spreadOf(figures)
  return { p50, p95 }
}
