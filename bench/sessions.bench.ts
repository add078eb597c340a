import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { BareKernel } from './bare-kernels.ts'
import { type Bench, beside, compare, type Row, rowsIfMeasured, Skipped } from './measure.ts'
import { proportionalSize, proportionalSizeOfTree } from './memory.ts'
import { programOutput } from './processes.ts'

type Executor = LocalCommandLineCodeExecutor | JupyterCodeExecutor

const imports = 'import pandas as pd'
const frame = 'pd.DataFrame({"a": range(100), "b": range(100)})'

/** Cells of a Python session beside the same cells in an ipykernel, from the first prompt on. */
export const sessionsBench: Bench = async ({ rounds, jupyter }) => {
  if (jupyter === undefined) throw new Skipped('--jupyter names no virtual environment that has Jupyter.')
  const python = join(jupyter, 'bin', 'python')
  if (!existsSync(python)) throw new Skipped(`${python} does not exist.`)
  await using stack = new AsyncDisposableStack()
  const session = stack.use(new LocalCommandLineCodeExecutor({ python, stateful: true }))
  const kernel = stack.use(new JupyterCodeExecutor({ python }))
  const subjects = { session, kernel }
  const hasPandas = await Promise.all([session, kernel].map((each) => succeeds(each, imports)))
  return [
    ...(await firstPrompts(python, Math.min(rounds ?? 10, 10))),
    ...(await cells(subjects, { name: '`1 + 1`', code: '1 + 1', rounds: rounds ?? 200, goal: 0.2 })),
    ...(hasPandas.every(Boolean)
      ? await cells(subjects, { name: 'a DataFrame', code: frame, rounds: rounds ?? 100, goal: 0.6 })
      : []),
    ...(await cells(subjects, {
      name: '1,000 lines',
      code: 'for i in range(1_000): print(i)',
      rounds: rounds ?? 100,
      goal: 0.4,
    })),
    ...(await undone({ session, kernel }, Math.min(rounds ?? 30, 30))),
    ...(await rowsIfMeasured('memory of a session at rest', () => memory(python))),
  ]
}

/** From a new executor to the answer of its first cell, where this process has had another session with the same Python. */
async function firstPrompts(python: string, rounds: number): Promise<Row[]> {
  const answer = async (executor: Executor) => {
    await run(executor, '1 + 1')
    return executor
  }
  const { session, kernel } = await compare<string>({
    rounds,
    warmUpRounds: 1,
    contenders: {
      session: () => answer(new LocalCommandLineCodeExecutor({ python, stateful: true })),
      kernel: () => answer(new JupyterCodeExecutor({ python, warm: false })),
    },
  })
  return beside({
    measured: 'first prompt of a session ÷ of a kernel',
    ours: session,
    reference: kernel,
    goal: 0.2,
  })
}

interface Subjects {
  readonly session: Executor
  readonly kernel: Executor
}

interface MeasuredCell {
  readonly name: string
  readonly code: string
  readonly rounds: number
  readonly goal: number
}

async function cells(
  { session, kernel }: Subjects,
  { name, code, rounds, goal }: MeasuredCell,
): Promise<Row[]> {
  const times = await compare<string>({
    rounds,
    warmUpRounds: 10,
    // The checkpoint of a cell is made while the caller reads its result.
    pauseMs: 100,
    contenders: { session: () => run(session, code), kernel: () => run(kernel, code) },
  })
  const measured = `${name} in a session ÷ in a kernel`
  return beside({ measured, ours: times.session, reference: times.kernel, goal })
}

/** From the order to go back to the answer of the next cell, when the caller has had time to read the last result. */
async function undone(
  { session, kernel }: { readonly session: LocalCommandLineCodeExecutor; readonly kernel: Executor },
  rounds: number,
): Promise<Row[]> {
  const undoAndRun = async () => {
    await run(session, 'x = 1')
    // Its checkpoint is made and measured.
    await delay(100)
    const beganAt = performance.now()
    await session.session?.undo()
    await run(session, '1 + 1')
    return { tookMs: performance.now() - beganAt }
  }
  const times = await compare<string>({
    rounds,
    pauseMs: 100,
    contenders: { session: undoAndRun, kernel: () => run(kernel, '1 + 1') },
  })
  const measured = 'undo and the next cell of a session ÷ `1 + 1` in a kernel'
  return beside({ measured, ours: times.session, reference: times.kernel, goal: 1 })
}

/** All processes of a session, beside a kernel that is no fork. */
async function memory(python: string): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const kernel = stack.use(await BareKernel.start(python))
  const executor = stack.use(new LocalCommandLineCodeExecutor({ python, stateful: true }))
  const keeper = await programOutput(executor, { language: 'python', code: 'import os; print(os.getppid())' })
  const ours = { p50: proportionalSizeOfTree(keeper) }
  const reference = { p50: proportionalSize(kernel.processId) }
  return [
    {
      measured: 'memory of a session at rest (PSS) ÷ of a kernel',
      ...{ unit: 'MiB', rounds: 1, ours, reference, ratio: ours.p50 / reference.p50 },
    },
  ]
}

async function run(executor: Executor, code: string): Promise<void> {
  if (!(await succeeds(executor, code))) throw new Error(`The cell failed: ${code}`)
}

async function succeeds(executor: Executor, code: string): Promise<boolean> {
  const { status } = await executor.execute([{ language: 'python', code }], { timeoutMs: 60_000 })
  return status === 'ok'
}
