import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import type { Bench } from './arguments.ts'
import { needImage } from './docker/command-line.ts'
import type { Row } from './row.ts'
import { rowsUnlessSkipped, Skipped } from './skipped.ts'
import { spreadOf } from './spread.ts'

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
    await rowOf('local, warm', new LocalCommandLineCodeExecutor({ ...local, warm: true }), rounds),
    ...(await rowsUnlessSkipped('output-limit of containers', async () => {
      await needImage(image)
      const docker = { ...options, image }
      return [
        await rowOf('Docker', new DockerCommandLineCodeExecutor({ ...docker, warm: false }), rounds),
        await rowOf('Docker, warm', new DockerCommandLineCodeExecutor({ ...docker, warm: true }), rounds),
      ]
    })),
    ...(await rowsUnlessSkipped('output-limit of kernels', async () => {
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

async function rowOf(name: string, place: Executor, rounds: number): Promise<Row> {
  await using executor = place
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
