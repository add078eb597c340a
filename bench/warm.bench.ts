import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { bareForkRows } from './bare-forks.ts'
import { docker, needImage, runDetached } from './docker-command.ts'
import type { Bench } from './measure.ts'
import {
  beside,
  compare,
  type Row,
  rowsOfParts,
  Skipped,
  scratchDirectory,
  type Versions,
} from './measure.ts'
import { proportionalSizeOfTree } from './memory.ts'
import {
  coldName,
  interpreterOf,
  type PeerPythons,
  Peers,
  type Program,
  runProgram,
  shortProgram,
  taskRows,
  warmName,
} from './peers.ts'
import { bareProcess, programOutput } from './processes.ts'

const spawnName = 'bare spawn'
const withoutEndName = 'the same that ends with `os._exit`'
const programWithoutEnd: Program = { code: 'print(1, flush=True)\nimport os\nos._exit(0)\n', prints: '1' }
const wholeEndName = 'the same that leaves by `sys.exit`, whose end is whole'
const programWithWholeEnd: Program = { code: 'print(1)\nimport sys\nsys.exit()\n', prints: '1' }
const withoutFiguresName = 'Fenced with `figures: false`'

/** The shortest block in a process on this machine. */
export async function startsRows(
  options: LocalExecutorOptions,
  pythons: PeerPythons,
  rounds: number,
): Promise<Row[]> {
  await using cold = new LocalCommandLineCodeExecutor({ ...options, warm: false })
  await using warm = new LocalCommandLineCodeExecutor(options)
  const interpreter = await interpreterOf(cold)
  await using peers = await Peers.open(pythons, interpreter)
  await using scratch = await scratchDirectory()
  const file = join(scratch.path, 'program.py')
  await writeFile(file, shortProgram.code)
  const times = await compare<string>({
    rounds,
    warmUpRounds: 10,
    contenders: {
      [warmName]: () => runProgram(warm, shortProgram),
      [coldName]: () => runProgram(cold, shortProgram),
      [spawnName]: () => bareProcess(interpreter.python, [file]),
      ...peers.contenders(shortProgram),
    },
  })
  return taskRows({
    task: '`print(1)` in a local process',
    times,
    goalMs: 3.5,
    goals: { [spawnName]: 0.22, AutoGen: 0.28 },
    versions: { Python: interpreter.version, ...peers.versions },
  })
}

const shellProgram: Program = { language: 'sh', code: 'echo 1\n', prints: '1' }

/** The shortest block of a shell, where only the start of a process can be saved. */
export async function shellRows(options: LocalExecutorOptions, rounds: number): Promise<Row[]> {
  await using cold = new LocalCommandLineCodeExecutor({ ...options, warm: false })
  await using warm = new LocalCommandLineCodeExecutor(options)
  await using scratch = await scratchDirectory()
  const file = join(scratch.path, 'program.sh')
  await writeFile(file, shellProgram.code)
  await runProgram(warm, shellProgram)
  await delay(settleMs)
  const times = await compare<string>({
    rounds,
    warmUpRounds: 10,
    contenders: {
      [warmName]: () => runProgram(warm, shellProgram),
      [coldName]: () => runProgram(cold, shellProgram),
      [spawnName]: () => bareProcess('/bin/sh', [file]),
    },
  })
  return taskRows({ task: '`echo 1` of `sh` in a local process', times, versions: {} })
}

/** What a program that draws nothing pays for `figures`. */
export async function figuresRows(options: LocalExecutorOptions, rounds: number): Promise<Row[]> {
  await using withFigures = new LocalCommandLineCodeExecutor(options)
  await using withoutFigures = new LocalCommandLineCodeExecutor({ ...options, figures: false })
  const times = await compare<string>({
    rounds,
    warmUpRounds: 10,
    contenders: {
      [warmName]: () => runProgram(withFigures, shortProgram),
      [withoutFiguresName]: () => runProgram(withoutFigures, shortProgram),
    },
  })
  return beside({
    measured: `\`print(1)\` in a local process ÷ ${withoutFiguresName}`,
    ours: times[warmName],
    reference: times[withoutFiguresName],
    goal: 1.02,
  })
}

/** The cost of a block's end, beside a program that has none (`os._exit`) and one whose end is whole. */
export async function endRows(options: LocalExecutorOptions, rounds: number): Promise<Row[]> {
  await using warm = new LocalCommandLineCodeExecutor({ ...options, warm: {} })
  const times = await compare<string>({
    rounds,
    warmUpRounds: 10,
    contenders: {
      [warmName]: () => runProgram(warm, shortProgram),
      [withoutEndName]: () => runProgram(warm, programWithoutEnd),
      [wholeEndName]: () => runProgram(warm, programWithWholeEnd),
    },
  })
  return [withoutEndName, wholeEndName].flatMap((name) =>
    beside({
      measured: `\`print(1)\` in a local process ÷ ${name}`,
      ours: times[warmName],
      reference: times[name],
    }),
  )
}

/** An executor that is made for one block, of which there are many in a row: its interpreter starts for this block. */
export async function freshRows(
  options: LocalExecutorOptions,
  pythons: PeerPythons,
  rounds: number,
): Promise<Row[]> {
  await using cold = new LocalCommandLineCodeExecutor({ ...options, warm: false })
  const interpreter = await interpreterOf(cold)
  await using peers = await Peers.open(pythons, interpreter)
  const times = await compare<string>({
    rounds,
    warmUpRounds: 3,
    contenders: {
      [warmName]: async () => {
        const executor = new LocalCommandLineCodeExecutor(options)
        await runProgram(executor, shortProgram)
        return executor
      },
      [coldName]: () => runProgram(cold, shortProgram),
      ...peers.freshContenders(shortProgram),
    },
  })
  return taskRows({
    task: 'a new executor and `print(1)` in it',
    times,
    goals: { AutoGen: 0.5 },
    versions: { Python: interpreter.version, ...peers.versions },
  })
}

/** The shortest block in bubblewrap. */
export async function bubblewrapRows(options: LocalExecutorOptions, rounds: number): Promise<Row[]> {
  const isolated = { ...options, isolation: 'bubblewrap' } as const
  await using cold = new LocalCommandLineCodeExecutor({ ...isolated, warm: false })
  await using warm = new LocalCommandLineCodeExecutor(isolated)
  try {
    await cold.start()
  } catch (error) {
    if (FencedError.isInstance(error) && error.code === 'ISOLATION_UNAVAILABLE')
      throw new Skipped(error.message)
    throw error
  }
  const { version } = await interpreterOf(cold)
  const times = await compare<string>({
    rounds,
    warmUpRounds: 10,
    contenders: {
      [warmName]: () => runProgram(warm, shortProgram),
      [coldName]: () => runProgram(cold, shortProgram),
    },
  })
  return taskRows({ task: '`print(1)` in bubblewrap', times, versions: { Python: version } })
}

/** A model writes between two blocks, and an engine clears up after each. */
const pauseMs = 100

/** The shortest block in a container. */
export async function dockerRows(image: string, pythons: PeerPythons, rounds: number): Promise<Row[]> {
  await needImage(image)
  await using cold = new DockerCommandLineCodeExecutor({ image, warm: false })
  await using warm = new DockerCommandLineCodeExecutor({ image })
  await using container = await runDetached(image)
  await using peers = await Peers.open(pythons, { image })
  const times = await compare<string>({
    rounds,
    warmUpRounds: 5,
    pauseMs,
    contenders: {
      [warmName]: () => runProgram(warm, shortProgram),
      [coldName]: () => runProgram(cold, shortProgram),
      '`docker exec`': () => docker('exec', container.id, 'python3', '-c', shortProgram.code),
      ...peers.contenders(shortProgram),
    },
  })
  return taskRows({
    task: '`print(1)` in a Docker container',
    times,
    goalMs: 5,
    goals: { AutoGen: 0.08 },
    versions: { ...(await versionsOf(cold)), ...peers.versions },
  })
}

async function versionsOf(executor: DockerCommandLineCodeExecutor) {
  const code = 'import platform; print(platform.python_version())'
  const python = await programOutput(executor, { language: 'python', code })
  const engine = await docker('version', '--format', '{{.Server.Version}}')
  return { Docker: `${engine} with Python ${python}` }
}

const preload = ['numpy', 'pandas', 'matplotlib.pyplot']

const imports = `import ${preload.join(', ')}`

interface ImportingTask {
  readonly task: string
  readonly program: Program
  /** Share of the time of AutoGen and AG2. */
  readonly goal: number
}

const figure: Program = {
  code: `${imports} as plt\nplt.plot([1, 3, 2])\nplt.savefig('figure.png')\nprint('saved')\n`,
  prints: 'saved',
}

const importingTasks: readonly ImportingTask[] = [
  {
    task: `\`${imports}\` and a mean; warm preloads them`,
    program: { code: `${imports}\nprint(numpy.arange(1000).reshape(10, 100).mean())\n`, prints: '499.5' },
    goal: 0.035,
  },
  {
    task: `\`${imports}\` and a figure that is saved`,
    program: figure,
    goal: 0.06,
  },
]

/** Blocks that import much, which the warm executor has imported beforehand. */
export async function preloadRows(
  options: LocalExecutorOptions,
  pythons: PeerPythons,
  rounds: number,
): Promise<Row[]> {
  await using cold = new LocalCommandLineCodeExecutor({ ...options, warm: false })
  const libraries = await librariesOf(cold)
  const interpreter = await interpreterOf(cold)
  await using warm = new LocalCommandLineCodeExecutor({ ...options, warm: { preload } })
  await using peers = await Peers.open(pythons, interpreter)
  const rows: Row[] = []
  for (const { task, program, goal } of importingTasks) {
    const times = await compare<string>({
      rounds,
      warmUpRounds: 2,
      contenders: {
        [warmName]: () => runProgram(warm, program),
        [coldName]: () => runProgram(cold, program),
        ...peers.contenders(program),
      },
    })
    const versions = { Python: interpreter.version, ...libraries, ...peers.versions }
    rows.push(...taskRows({ task, times, goals: { AutoGen: goal, AG2: goal }, versions }))
  }
  return rows
}

async function librariesOf(executor: LocalCommandLineCodeExecutor): Promise<Versions> {
  const code = `import json, matplotlib.pyplot, numpy, pandas
print(json.dumps({module.__name__: module.__version__ for module in [numpy, pandas, matplotlib]}))`
  try {
    return JSON.parse(await programOutput(executor, { language: 'python', code }))
  } catch (cause) {
    throw new Skipped(
      'The Python needs numpy, pandas and matplotlib. Set --python to a Python that has them.',
      {
        cause,
      },
    )
  }
}

const executorCount = 8
const blocksEach = 10

/** Executors that all have something to do at the same time. */
export async function severalRows(
  options: LocalExecutorOptions,
  pythons: PeerPythons,
  rounds: number,
): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const make = (warm: boolean) =>
    Array.from({ length: executorCount }, () =>
      stack.use(new LocalCommandLineCodeExecutor({ ...options, warm })),
    )
  const [warm, cold] = [make(true), make(false)]
  const interpreter = await interpreterOf(stack.use(new LocalCommandLineCodeExecutor(options)))
  await using peers = await Peers.open(pythons, interpreter, executorCount)
  const times = await compare<string>({
    rounds,
    warmUpRounds: 1,
    contenders: {
      [warmName]: () => runAll(warm),
      [coldName]: () => runAll(cold),
      ...peers.contenders(shortProgram, blocksEach),
    },
  })
  return taskRows({
    task: `\`print(1)\` ${blocksEach} times in each of ${executorCount} executors at once`,
    blocks: executorCount * blocksEach,
    times,
    goals: { AutoGen: 0.3, AG2: 0.3 },
    versions: { Python: interpreter.version, ...peers.versions },
  })
}

async function runAll(executors: readonly LocalCommandLineCodeExecutor[]): Promise<void> {
  await Promise.all(executors.map((executor) => runProgram(executor, shortProgram, blocksEach)))
}

const goalMiB = 10

/** Until the next fork is ready, which waits for a block and counts, too. */
const settleMs = 500

/** What one more warm executor takes, with the pages that it shares counted in shares (PSS). */
export async function memoryRow(options: LocalExecutorOptions): Promise<Row[]> {
  await using first = new LocalCommandLineCodeExecutor({ ...options, warm: {} })
  await using second = new LocalCommandLineCodeExecutor({ ...options, warm: {} })
  await runnerOf(first)
  const runner = await runnerOf(second)
  await delay(settleMs)
  const mebibytes = proportionalSizeOfTree(runner)
  return [
    {
      measured: 'memory of one more executor (PSS)',
      unit: 'MiB',
      rounds: 1,
      ours: { p50: mebibytes },
      goal: `≤ ${goalMiB} MiB`,
      met: mebibytes <= goalMiB,
    },
  ]
}

async function runnerOf(executor: LocalCommandLineCodeExecutor): Promise<string> {
  return programOutput(executor, { language: 'python', code: 'import os; print(os.getppid())' })
}

/** Blocks as forks of one interpreter that stays, beside a process for each, AutoGen and AG2. */
export const warmBench: Bench = async ({ rounds, python, image, autogen, ag2 }) => {
  const options = python === undefined ? {} : { python }
  const pythons = { autogen, ag2 }
  const often = rounds ?? 200
  const seldom = rounds ?? 15
  return rowsOfParts({
    'warm starts': () => startsRows(options, pythons, often),
    'bare forks': () => bareForkRows(options, { modules: [], rounds: often }),
    'new executors': () => freshRows(options, pythons, often),
    'shell blocks': () => shellRows(options, often),
    'blocks without figures': () => figuresRows(options, often),
    'the end of a warm block': () => endRows(options, often),
    'warm in bubblewrap': () => bubblewrapRows(options, often),
    'warm in Docker': () => dockerRows(image, pythons, rounds ?? 60),
    'warm with imports': () => preloadRows(options, pythons, seldom),
    'a fork with imports': () => bareForkRows(options, { modules: preload, rounds: seldom }),
    'a fork that saves a figure': () => {
      const program = { does: ' that saves the figure', code: figure.code }
      return bareForkRows(options, { modules: preload, program, rounds: seldom })
    },
    'several executors': () => severalRows(options, pythons, rounds ?? 10),
    'memory of a warm executor': () => memoryRow(options),
  })
}
