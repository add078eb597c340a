import type { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import type { AutoGen } from '../autogen.ts'
import { beside } from '../beside.ts'
import { type Contender, compare, type Measured } from '../compare.ts'
import type { Row } from '../row.ts'
import { docker, type PlainContainer } from './command-line.ts'

/** Containers that have been started. */
export interface Places {
  readonly executor: DockerCommandLineCodeExecutor
  readonly container: PlainContainer
  readonly autogen: AutoGen | undefined
}

const code = 'print(1)'

/** A model writes between two blocks. */
const pauseMs = 200

const inARow = 10

export async function blockRows(places: Places, { rounds }: { readonly rounds: number }): Promise<Row[]> {
  const single = await compare({ rounds, warmUpRounds: 5, pauseMs, contenders: contendersFor(places, 1) })
  const many = await compare({
    rounds: Math.ceil(rounds / 5),
    pauseMs,
    contenders: contendersFor(places, inARow),
  })
  const manyName = `${inARow} of them without a pause`
  return [...rowsFor(`\`${code}\``, single, { commandLine: 1, autogen: 0.65 }), ...rowsFor(manyName, many)]
}

function contendersFor({ executor, container, autogen }: Places, count: number): Record<string, Contender> {
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
