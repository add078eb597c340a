// Runs blocks one after the other, checks the answer of each, and prints what they cost and left.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeBlock, CodeExecutor, CodeResult } from '@fenced/core'
import { openDescriptors, quietCount } from '@fenced/testing'
import { executorNamed, type Subject } from '../executors.ts'

const options = JSON.parse(process.argv[2] ?? '')
const subject = executorNamed(options.subject)
const rounds: number = options.rounds

interface Task {
  readonly block: CodeBlock
  readonly isRight: (result: CodeResult, workDir: string) => boolean
}

/** Kinds of blocks, in turn. What each of them has to answer depends on the round. */
const tasks: ReadonlyArray<(round: number, subject: Subject) => Task> = [
  (round) => ({
    block: { language: 'python', code: `print(${round} * 7 + 1)` },
    isRight: ({ status, exitCode, output }) =>
      status === 'ok' && exitCode === 0 && output === `${round * 7 + 1}\n`,
  }),
  (round, { kind }) => ({
    block: { language: 'python', code: `print(${round})\n${failure(kind, round)}` },
    isRight: ({ status, exitCode, blocks }) =>
      status === 'error' && exitCode === exitCodeOf(kind, round) && blocks[0]?.stdout === `${round}\n`,
  }),
  (round, { kind }) => ({
    block: {
      language: 'python',
      code: `with open('round-${round}.txt', 'w') as file: print(file.write('${round}' * 9))`,
    },
    isRight: ({ status, output, files }, workDir) => {
      const [file, ...others] = files
      const path = join(workDir, `round-${round}.txt`)
      const content = readFileSync(path, 'utf8')
      rmSync(path)
      const isListed = kind === 'jupyter' || (file?.path === `round-${round}.txt` && others.length === 0)
      return (
        status === 'ok' &&
        output === `${`${round}`.length * 9}\n` &&
        content === `${round}`.repeat(9) &&
        isListed
      )
    },
  }),
  (round, { kind }) => ({
    block:
      kind === 'jupyter'
        ? { language: 'python', code: `import sys\nprint(${round})\nprint('e${round}', file=sys.stderr)` }
        : { language: 'sh', code: `echo ${round}\necho e${round} >&2` },
    isRight: ({ status, blocks: [block] }) =>
      status === 'ok' && block?.stdout === `${round}\n` && block.stderr === `e${round}\n`,
  }),
]

function failure(kind: Subject['kind'], round: number): string {
  return kind === 'jupyter' ? `raise ValueError(${round})` : `raise SystemExit(${exitCodeOf(kind, round)})`
}

function exitCodeOf(kind: Subject['kind'], round: number): number {
  return kind === 'jupyter' ? 1 : (round % 100) + 2
}

// Excludes memory and descriptors that the first executors of a process load, open and share.
for (let count = 0; count < 2; count++) await run(tasks.length, () => {})
const before = await quietCount(openDescriptors)

const samples: { readonly round: number; readonly heap: number; readonly rss: number }[] = []
const wrong: string[] = []
const took = await run(
  rounds,
  (round) => {
    if (round === Math.floor(rounds / 4) || round === rounds - 1) samples.push({ round, ...memory() })
  },
  wrong,
)
const after = await quietCount(openDescriptors)
const [first, last] = samples
const thousands = first && last ? Math.max(1, last.round - first.round) / 1_000 : 1
console.log(
  JSON.stringify({
    wrong: wrong.length,
    example: wrong[0],
    heapPerThousand: ((last?.heap ?? 0) - (first?.heap ?? 0)) / thousands,
    rssPerThousand: ((last?.rss ?? 0) - (first?.rss ?? 0)) / thousands,
    descriptors: Math.max(0, after.size - before.size),
    opened: [...after].filter(([number]) => !before.has(number)).map(([, target]) => target),
    msPerBlock: took / rounds,
  }),
)

/** Resolves to the milliseconds that the blocks took. */
async function run(count: number, after: (round: number) => void, wrong: string[] = []): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const executor = stack.use(await subject.make(options.setup, stack))
  await executor.start()
  let took = 0
  for (let round = 0; round < count; round++) {
    const task = tasks[round % tasks.length]?.(round, subject)
    if (task === undefined) continue
    const began = performance.now()
    const result = await executor.execute([task.block])
    took += performance.now() - began
    if (!isRight(task, result, executor))
      wrong.push(`${round}: ${result.status} ${result.exitCode} ${result.output}`)
    after(round)
  }
  return took
}

function isRight(task: Task, result: CodeResult, { workDir }: CodeExecutor): boolean {
  try {
    return task.isRight(result, workDir ?? '')
  } catch {
    // The file is not there.
    return false
  }
}

function memory() {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed, rss }
}
