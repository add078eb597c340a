import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { compare } from '../compare.ts'
import { programOutput } from '../program-output.ts'
import type { Row, Versions } from '../row.ts'
import { Skipped } from '../skipped.ts'
import { interpreterOf } from './interpreter.ts'
import { type PeerPythons, Peers } from './peers.ts'
import { type Program, runProgram } from './program.ts'
import { coldName, taskRows, warmName } from './task.ts'

const preload = ['numpy', 'pandas', 'matplotlib.pyplot']

const program: Program = {
  code: `import ${preload.join(', ')}\nprint(numpy.arange(1000).reshape(10, 100).mean())\n`,
  prints: '499.5',
}

/** A block that imports much, which the warm executor has imported beforehand. */
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
  const times = await compare<string>({
    rounds,
    warmUpRounds: 2,
    contenders: {
      [warmName]: () => runProgram(warm, program),
      [coldName]: () => runProgram(cold, program),
      ...peers.contenders(program),
    },
  })
  return taskRows({
    task: `\`import ${preload.join(', ')}\` and a mean; warm preloads them`,
    times,
    goals: { AutoGen: 0.02, AG2: 0.02 },
    versions: { Python: interpreter.version, ...libraries, ...peers.versions },
  })
}

async function librariesOf(executor: LocalCommandLineCodeExecutor): Promise<Versions> {
  const code = `import json, matplotlib.pyplot, numpy, pandas
print(json.dumps({module.__name__: module.__version__ for module in [numpy, pandas, matplotlib]}))`
  try {
    return JSON.parse(await programOutput(executor, { language: 'python', code }))
  } catch (cause) {
    throw new Skipped(
      'The Python has not all of numpy, pandas and matplotlib; --python names one that has.',
      {
        cause,
      },
    )
  }
}
