import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CodeBlock } from '@fenced/core'
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { needImage } from './docker-command.ts'
import type { Bench } from './measure.ts'
import {
  compare,
  differenceOf,
  type Measured,
  type Row,
  rowsIfMeasured,
  Skipped,
  scratchDirectory,
  spreadOf,
  throughput,
} from './measure.ts'
import { bareProcess, logLines, programOutput } from './processes.ts'

interface Program {
  readonly name: string
  readonly block: CodeBlock
  /** Prints the path of the interpreter that the executor chose. */
  readonly whereIs: string
  readonly rounds: number
  readonly goal?: number
}

const programs: readonly Program[] = [
  {
    name: 'Python `print(1)`',
    block: { language: 'python', code: 'print(1)\n' },
    whereIs: 'import sys; print(sys.executable)',
    rounds: 100,
    goal: 1.15,
  },
  // So short that it shows what the executor adds.
  { name: 'sh `true`', block: { language: 'sh', code: 'true\n' }, whereIs: 'command -v sh', rounds: 300 },
]

/** A block through a started executor, and the same code as a file for a bare spawn of the same interpreter. */
export const spawnBench: Bench = async ({ rounds }) => {
  await using executor = new LocalCommandLineCodeExecutor({ warm: false })
  await using scratch = await scratchDirectory()
  const rows: Row[] = []
  for (const { name, block, whereIs, goal, rounds: ownRounds } of programs) {
    const interpreter = await programOutput(executor, { ...block, code: whereIs })
    const file = join(scratch.path, `program.${block.language}`)
    await writeFile(file, block.code)
    const { executed, spawned } = await compare({
      rounds: rounds ?? ownRounds,
      warmUpRounds: 10,
      contenders: {
        executed: () => executor.execute([block]),
        spawned: () => bareProcess(interpreter, [file]),
      },
    })
    const ratio = executed.p50 / spawned.p50
    rows.push({
      measured: `${name} ÷ bare spawn`,
      unit: 'ms',
      rounds: executed.times.length,
      ours: { p50: executed.p50, p95: executed.p95 },
      reference: { p50: spawned.p50, p95: spawned.p95 },
      ratio,
      ...(goal === undefined ? {} : { goal: `≤ ${goal}`, met: ratio <= goal }),
      note: `${differenceOf(executed, spawned).toFixed(2)} ms more in the same round`,
    })
  }
  return rows
}

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

const goalMs = 200
const stampFile = 'limit-reached-at'
const options = { onOutputLimit: 'kill', maxOutputBytes: 1_048_576, timeoutMs: 60_000 } as const

/** Writes what may be kept, notes the time, and floods on. */
const code = `
import sys, time
sys.stdout.write('x' * ${options.maxOutputBytes})
sys.stdout.flush()
with open('${stampFile}', 'w') as file: file.write(str(time.time()))
while True: sys.stdout.write('x' * 100_000)
`

type Executor = LocalCommandLineCodeExecutor | DockerCommandLineCodeExecutor | JupyterCodeExecutor

/** From the moment in which a program has written all that may be kept to the result of its end. */
export const outputLimitBench: Bench = async ({ rounds = 10, image, python, jupyter }) => {
  const local = { ...options, ...(python === undefined ? {} : { python }) }
  return [
    await rowOf('local', new LocalCommandLineCodeExecutor({ ...local, warm: false }), rounds),
    await rowOf('local, warm', new LocalCommandLineCodeExecutor({ ...local, warm: {} }), rounds),
    ...(await rowsIfMeasured('output-limit of containers', async () => {
      await needImage(image)
      const docker = { ...options, image }
      return [
        await rowOf('Docker', new DockerCommandLineCodeExecutor({ ...docker, warm: false }), rounds),
        await rowOf('Docker, warm', new DockerCommandLineCodeExecutor({ ...docker, warm: {} }), rounds),
      ]
    })),
    ...(await rowsIfMeasured('output-limit of kernels', async () => {
      if (jupyter === undefined) throw new Skipped('--jupyter names no virtual environment that has Jupyter.')
      const kernel = { python: join(jupyter, 'bin', 'python') }
      await using server = new LocalJupyterServer(kernel)
      return [
        await rowOf('kernel', new JupyterCodeExecutor({ ...options, ...kernel }), rounds),
        await rowOf('kernel of a server', new JupyterCodeExecutor({ ...options, server }), rounds),
      ]
    })),
  ]
}

async function rowOf(name: string, subject: Executor, rounds: number): Promise<Row> {
  await using executor = subject
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { status } = await executor.execute([{ language: 'python', code }])
    const now = Date.now()
    if (status !== 'output-limit') throw new Error(`${name}: the flood ended as ${status}.`)
    times.push(now - Number(await readFile(join(executor.workDir ?? '', stampFile), 'utf8')) * 1_000)
  }
  const ours = spreadOf(times)
  return {
    measured: `${name}: from the output limit to the end under \`kill\``,
    unit: 'ms',
    rounds,
    ours,
    goal: `< ${goalMs} ms`,
    met: ours.p50 < goalMs,
  }
}

const goalMiB = 32

/** By how much a process grows that runs `yes` for three seconds under a limit of 1 MiB. */
export const memoryBench: Bench = async () => {
  const program = join(import.meta.dirname, '../packages/executor-local/test/programs/flood.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@fenced/source', program])
  const { grewBy, dropped } = JSON.parse(stdout) as { grewBy: number; dropped: number }
  const grewByMiB = grewBy / 2 ** 20
  return [
    {
      measured: 'memory: `yes` for 3 s under a limit of 1 MiB',
      unit: 'MiB',
      rounds: 1,
      ours: { p50: grewByMiB },
      goal: `< ${goalMiB} MiB`,
      met: grewByMiB < goalMiB,
      note: `${(dropped / 1e6).toFixed(0)} MB left out`,
    },
  ]
}
