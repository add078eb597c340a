import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  JupyterCodeExecutor,
  type JupyterExecutorOptions,
  LocalJupyterServer,
} from '@fenced/executor-jupyter'
import { BareKernel, BareWebSocket } from './bare-kernels.ts'
import type { Bench } from './measure.ts'
import { beside, type Contender, compare, type Row, rowsIfMeasured, Skipped } from './measure.ts'
import { proportionalSize, proportionalSizeOfTree } from './memory.ts'
import { AutoGen, programOutput } from './processes.ts'

const cell = 'print(1)'
const millionLines = 'for i in range(1_000_000): print(i)'
const flushedLines = 'for i in range(20_000): print(i, flush=True)'

interface Subjects {
  readonly direct: JupyterCodeExecutor
  readonly server: JupyterCodeExecutor
  readonly bareKernel: BareKernel
  readonly bareSocket: BareWebSocket
  readonly autogen: AutoGen | undefined
}

/** A kernel's start, a short cell, a million lines and 20,000 flushed ones, beside bare clients and AutoGen's embedded kernel. */
export const jupyterBench: Bench = async ({ rounds, jupyter, autogen: autogenPython }) => {
  if (jupyter === undefined) throw new Skipped('--jupyter names no virtual environment that has Jupyter.')
  const python = join(jupyter, 'bin', 'python')
  if (!existsSync(python)) throw new Skipped(`${python} does not exist.`)
  await using stack = new AsyncDisposableStack()
  const autogen =
    autogenPython === undefined
      ? undefined
      : stack.use(await AutoGen.open(autogenPython, new URL('./peers/autogen-jupyter.py', import.meta.url)))

  const starts = await startRows(python, autogen, rounds ?? 10)
  const server = stack.use(new LocalJupyterServer({ python }))
  const subjects: Subjects = {
    direct: stack.use(new JupyterCodeExecutor({ python })),
    server: stack.use(new JupyterCodeExecutor({ server })),
    bareKernel: stack.use(await BareKernel.start(python)),
    bareSocket: stack.use(await BareWebSocket.open(await server.connect())),
    autogen,
  }
  await subjects.direct.start()
  await subjects.server.start()
  if (autogen !== undefined) stack.use(await autogen.start())
  return [
    ...starts,
    ...(await rowsIfMeasured('memory of a kernel', () => memoryRow(python))),
    ...(await codeRows(subjects, { name: `\`${cell}\``, code: cell, rounds: rounds ?? 200, goal: 0.5 })),
    ...(await codeRows(subjects, {
      name: 'a million lines',
      code: millionLines,
      rounds: Math.min(rounds ?? 3, 3),
      goal: 0.4,
    })),
    ...(await codeRows(subjects, {
      name: '20,000 flushed lines',
      code: flushedLines,
      rounds: Math.min(rounds ?? 3, 3),
    })),
  ]
}

async function startRows(python: string, autogen: AutoGen | undefined, rounds: number): Promise<Row[]> {
  const start = async (options: JupyterExecutorOptions) => {
    const executor = new JupyterCodeExecutor({ python, ...options })
    await executor.start()
    return executor
  }
  const { ours, first, bare, theirs } = await compare<string>({
    rounds,
    // In the first, what later kernels are forks of comes into being.
    warmUpRounds: 2,
    contenders: {
      ours: () => start({}),
      // As the first of a process starts, too.
      first: () => start({ warm: false }),
      bare: () => BareKernel.start(python),
      ...(autogen === undefined ? {} : { theirs: () => autogen.start() }),
    },
  })
  return [
    ...beside({ measured: 'start of the first kernel ÷ a bare ZeroMQ client', ours: first, reference: bare }),
    ...beside({
      measured: 'start of the first kernel ÷ AutoGen',
      ours: first,
      reference: theirs,
      goal: 0.38,
    }),
    ...beside({ measured: 'start of another kernel ÷ a bare ZeroMQ client', ours, reference: bare }),
    ...beside({ measured: 'start of another kernel ÷ AutoGen', ours, reference: theirs, goal: 0.38 }),
  ]
}

/** What one more kernel takes where there are others, with all that is there for it alone. */
async function memoryRow(python: string): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const parents: string[] = []
  for (let count = 0; count < 3; count++) {
    stack.use(await BareKernel.start(python))
    const executor = stack.use(new JupyterCodeExecutor({ python }))
    parents.push(
      await programOutput(executor, { language: 'python', code: 'import os; print(os.getppid())' }),
    )
  }
  const bare = stack.use(await BareKernel.start(python))
  const p50 = proportionalSizeOfTree(parents.at(-1) ?? '')
  const reference = { p50: proportionalSize(bare.processId) }
  return [
    {
      measured: 'memory of one more kernel (PSS) ÷ a bare ZeroMQ client',
      ...{ unit: 'MiB', rounds: 1, ours: { p50 }, reference, ratio: p50 / reference.p50 },
    },
  ]
}

interface Measurement {
  readonly name: string
  readonly code: string
  readonly rounds: number
  /** Beside AutoGen. */
  readonly goal?: number
}

async function codeRows(subjects: Subjects, { name, code, rounds, goal }: Measurement): Promise<Row[]> {
  const { direct, server, bareKernel, bareSocket, autogen } = subjects
  const blocks = [{ language: 'python', code }]
  const options = { timeoutMs: 600_000 }
  const contenders: Record<string, Contender> = {
    direct: () => direct.execute(blocks, options),
    server: () => server.execute(blocks, options),
    bareKernel: () => bareKernel.run(code),
    bareSocket: () => bareSocket.run(code),
    ...(autogen === undefined ? {} : { theirs: () => autogen.run('python', code) }),
  }
  const times = await compare<string>({ rounds, warmUpRounds: code === cell ? 10 : 1, contenders })
  return [
    ...beside({
      measured: `${name} ÷ a bare ZeroMQ client`,
      ours: times.direct,
      reference: times.bareKernel,
    }),
    ...beside({
      measured: `${name} ÷ AutoGen`,
      ours: times.direct,
      reference: times.theirs,
      ...(goal === undefined ? {} : { goal }),
    }),
    ...beside({
      measured: `${name} through a server ÷ a bare WebSocket client`,
      ours: times.server,
      reference: times.bareSocket,
      goal: 1,
    }),
  ]
}
