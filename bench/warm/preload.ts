import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { beside } from '../beside.ts'
import { compare } from '../compare.ts'
import type { Row } from '../row.ts'

const sets = [{ preload: ['numpy'] }, { preload: ['numpy', 'pandas', 'matplotlib.pyplot'], goal: 0.02 }]

const computation = `
import numpy
print(numpy.arange(1000).reshape(10, 100).mean())
`

/** A block that imports much, with and without it imported beforehand. */
export async function preloadRows(options: LocalExecutorOptions, rounds: number): Promise<Row[]> {
  await using cold = new LocalCommandLineCodeExecutor(options)
  const rows: Row[] = []
  for (const { preload, goal } of sets) {
    const code = `import ${preload.join(', ')}\n${computation}`
    const block = { language: 'python', code }
    const { status } = await cold.execute([block])
    if (status !== 'ok') {
      console.error(`Without ${preload.join(', ')}; --python names a Python that has them.`)
      continue
    }
    await using warm = new LocalCommandLineCodeExecutor({ ...options, warm: { preload } })
    const times = await compare({
      rounds,
      contenders: { warm: () => warm.execute([block]), cold: () => cold.execute([block]) },
    })
    const measured = `warm: \`import ${preload.join(', ')}\`, preloaded ÷ cold`
    rows.push(
      ...beside({
        measured,
        ours: times.warm,
        reference: times.cold,
        ...(goal === undefined ? {} : { goal }),
      }),
    )
  }
  return rows
}
