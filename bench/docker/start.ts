import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '@fenced/executor-docker'
import type { AutoGen } from '../autogen.ts'
import { beside } from '../beside.ts'
import { type Contender, compare } from '../compare.ts'
import type { Row } from '../row.ts'
import { runDetached } from './command-line.ts'

export interface StartOptions {
  readonly rounds: number
  readonly image: string
  readonly autogen: AutoGen | undefined
}

/** Until a container is ready for its first block. Everybody with their own defaults, which for us is no network. */
export async function startRows({ rounds, image, autogen }: StartOptions): Promise<Row[]> {
  const contenders: Record<string, Contender> = {
    ours: () => startedExecutor({ image }),
    networked: () => startedExecutor({ image, network: 'bridge' }),
    commandLine: () => runDetached(image),
  }
  if (autogen !== undefined) contenders.autogen = () => autogen.start()
  const times = await compare({ rounds, warmUpRounds: 2, contenders })
  const { ours, networked } = times
  return [
    ...beside({
      measured: 'start ÷ `docker run -d` and `docker inspect`',
      ours,
      reference: times.commandLine,
    }),
    ...beside({ measured: 'start ÷ AutoGen', ours, reference: times.autogen, goal: 0.6 }),
    ...beside({
      measured: 'start, with the network that the others have ÷ `docker run -d` and `docker inspect`',
      ours: networked,
      reference: times.commandLine,
    }),
    ...beside({
      measured: 'start, with the network that the others have ÷ AutoGen',
      ours: networked,
      reference: times.autogen,
    }),
  ]
}

async function startedExecutor(options: DockerExecutorOptions): Promise<DockerCommandLineCodeExecutor> {
  const executor = new DockerCommandLineCodeExecutor(options)
  await executor.start()
  return executor
}
