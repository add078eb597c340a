import { execFile } from 'node:child_process'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { docker, needImage, type PlainContainer, runDetached } from './docker-command.ts'
import { startRows } from './docker-starts.ts'
import type { Bench } from './measure.ts'
import {
  beside,
  type Contender,
  compare,
  type Measured,
  type Row,
  type Spread,
  scratchDirectory,
  spreadOf,
} from './measure.ts'
import { AutoGen, bareProcess, logLines } from './processes.ts'

/** Containers that have been started. */
export interface Subjects {
  readonly executor: DockerCommandLineCodeExecutor
  readonly container: PlainContainer
  readonly autogen: AutoGen | undefined
}

const code = 'print(1)'

/** A model writes between two blocks. */
const pauseMs = 200

const inARow = 10

export async function blockRows(subjects: Subjects, { rounds }: { readonly rounds: number }): Promise<Row[]> {
  const single = await compare({ rounds, warmUpRounds: 5, pauseMs, contenders: contendersFor(subjects, 1) })
  const many = await compare({
    rounds: Math.ceil(rounds / 5),
    pauseMs,
    contenders: contendersFor(subjects, inARow),
  })
  const manyName = `${inARow} of them without a pause`
  return [...rowsFor(`\`${code}\``, single, { commandLine: 1, autogen: 0.08 }), ...rowsFor(manyName, many)]
}

function contendersFor({ executor, container, autogen }: Subjects, count: number): Record<string, Contender> {
  const times = async (run: () => PromiseLike<unknown>) => {
    for (let index = 0; index < count; index++) await run()
  }
  const block = { language: 'python', code }
  return {
    ours: () => times(() => executor.execute([block])),
    commandLine: () => times(() => docker('exec', container.id, 'python3', '-c', code)),
    ...(autogen === undefined ? {} : { autogen: () => times(() => autogen.run('python', code)) }),
  }
}

function rowsFor(
  what: string,
  { ours, commandLine, autogen }: Record<string, Measured>,
  goals: { readonly commandLine?: number; readonly autogen?: number } = {},
): Row[] {
  return [
    ...beside({
      measured: `${what} ÷ \`docker exec\``,
      ours,
      reference: commandLine,
      ...(goals.commandLine && { goal: goals.commandLine }),
    }),
    ...beside({
      measured: `${what} ÷ AutoGen`,
      ours,
      reference: autogen,
      ...(goals.autogen && { goal: goals.autogen }),
    }),
  ]
}

export const byteCount = 100e6

/** In the working directory of every place. */
export const outputFile = 'output.txt'

/** 100 MB of output: awaited under the default limits, on a pipe whose reader only counts, and as AutoGen does it. */
export async function outputRows(
  { executor, container, autogen }: Subjects,
  { rounds }: { readonly rounds: number },
): Promise<Row[]> {
  const block = { language: 'sh', code: `exec cat ${outputFile}` }
  const contenders: Record<string, Contender> = {
    ours: () => executor.execute([block]),
    piped: () => bareProcess('docker', ['exec', container.id, 'cat', `/workspace/${outputFile}`]),
  }
  if (autogen !== undefined) contenders.autogen = () => autogen.run(block.language, block.code)
  const { ours, piped, autogen: theirs } = await compare({ rounds, warmUpRounds: 1, contenders })
  return [
    ...beside({
      measured: '100 MB of output, awaited ÷ `docker exec` on a bare pipe',
      ours,
      reference: piped,
      goal: 1,
    }),
    ...beside({ measured: '100 MB of output, awaited ÷ AutoGen', ours, reference: theirs, goal: 1 }),
  ]
}

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
  const program = fileURLToPath(import.meta.resolve('./docker-growth.ts'))
  const args = ['--conditions=@fenced/source', program, image, workDir]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout).grewBy
}

async function growthOfTheirs(python: string, image: string, workDir: string): Promise<number> {
  await using autogen = await AutoGen.open(python, new URL('./peers/autogen-docker.py', import.meta.url), [
    image,
    workDir,
  ])
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

/** Under root, a directory of root is copied instead of mounted: programs have another user. */
async function ownByNobody(directory: string): Promise<void> {
  if (process.getuid?.() === 0)
    for (const path of [directory, join(directory, outputFile)]) await chown(path, 65_534, 65_534)
}

/** A container's start, a short block and much output, beside the docker command and AutoGen's executor. */
export const dockerBench: Bench = async ({ rounds, image, autogen: python }) => {
  await needImage(image)
  await using scratch = await scratchDirectory()
  // Two executors in two processes do not share a working directory.
  await using ofMemory = await scratchDirectory()
  const workDir = scratch.path
  for (const { path } of [scratch, ofMemory]) {
    await writeFile(join(path, outputFile), logLines(byteCount))
    await ownByNobody(path)
  }
  await using stack = new AsyncDisposableStack()
  const autogen =
    python === undefined
      ? undefined
      : stack.use(
          await AutoGen.open(python, new URL('./peers/autogen-docker.py', import.meta.url), [image, workDir]),
        )

  const starts = await startRows({ rounds: rounds ?? 15, image, autogen })
  const subjects: Subjects = {
    executor: stack.use(new DockerCommandLineCodeExecutor({ image, workDir })),
    container: stack.use(await runDetached(image, workDir)),
    autogen,
  }
  await subjects.executor.start()
  if (autogen !== undefined) stack.use(await autogen.start())
  return [
    ...starts,
    ...(await blockRows(subjects, { rounds: rounds ?? 50 })),
    ...(await outputRows(subjects, { rounds: rounds ?? 15 })),
    ...(await memoryRows({
      rounds: Math.min(rounds ?? 5, 5),
      image,
      workDir: ofMemory.path,
      autogen: python,
    })),
  ]
}
