import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { compare } from '../compare.ts'
import { docker, needImage, runDetached } from '../docker/command-line.ts'
import { programOutput } from '../program-output.ts'
import type { Row } from '../row.ts'
import { type PeerPythons, Peers } from './peers.ts'
import { runProgram, shortProgram } from './program.ts'
import { coldName, taskRows, warmName } from './task.ts'

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
    versions: { ...(await versionsOf(cold)), ...peers.versions },
  })
}

async function versionsOf(executor: DockerCommandLineCodeExecutor) {
  const code = 'import platform; print(platform.python_version())'
  const python = await programOutput(executor, { language: 'python', code })
  const engine = await docker('version', '--format', '{{.Server.Version}}')
  return { Docker: `${engine} with Python ${python}` }
}
