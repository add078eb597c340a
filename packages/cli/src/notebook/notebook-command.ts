import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { CodeExecutor } from '@fenced/core'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { milliseconds } from '../executor-options.ts'
import { untilStopped } from '../stop-signals.ts'
import { forStream, readText } from '../streams.ts'
import { CellOutputs } from './cell-outputs.ts'
import { Displays } from './displays.ts'
import { LateOutputs, waitForThreads } from './late-outputs.ts'
import { type Cell, languageOf, type Notebook, notebookText, readNotebook, sourceOf } from './notebook.ts'

export interface NotebookOptions {
  readonly output: string
  readonly python?: string
  /** In seconds. */
  readonly timeout?: number
  readonly allowErrors: boolean
}

/**
 * Runs the cells of a notebook in a kernel, up to the first that fails, and writes it with their outputs. Cells that did not run
 * keep their earlier outputs and counts. The tags `skip-execution` and `raises-exception` mean what they mean in nbclient.
 *
 * @returns the exit code of the cell that ended it, or of who did.
 */
export function runNotebook(path: string, options: NotebookOptions): Promise<number> {
  return untilStopped(async (signal) => {
    const notebook = readNotebook(path, await text(readText(path)))
    const executor = kernelFor(notebook, options)
    try {
      await executor.start({ signal })
      const ran =
        path === '-' ? 0 : await changeDirectory(dirname(resolve(path)), executor, languageOf(notebook))
      const { exitCode, cells } = await runCells(notebook, { executor, signal, ran, ...options })
      const written = notebookText({ ...notebook, cells })
      if (options.output === '-') process.stdout.write(forStream(process.stdout, written))
      else await writeFile(options.output, written)
      return exitCode
    } finally {
      await executor.stop()
    }
  })
}

function kernelFor(notebook: Notebook, { python, timeout }: NotebookOptions): CodeExecutor {
  const language = languageOf(notebook)
  // The name of a Python kernel is the name of a user's environment.
  const kernelName = language === 'python' ? undefined : notebook.metadata.kernelspec?.name
  return new JupyterCodeExecutor({
    python,
    ...(kernelName === undefined ? {} : { kernelName, language }),
    timeoutMs: milliseconds(timeout),
  })
}

/**
 * Cells find files beside their notebook, as in Jupyter. What they show is not saved there a second time.
 *
 * @returns how many cells of the kernel this took.
 */
async function changeDirectory(directory: string, executor: CodeExecutor, language: string): Promise<number> {
  if (language !== 'python') return 0
  await executor.execute([{ language, code: `__import__("os").chdir(${JSON.stringify(directory)})` }])
  return 1
}

interface RunCellsOptions {
  readonly executor: CodeExecutor
  readonly signal: AbortSignal
  readonly allowErrors: boolean
  /** How many cells ran in the kernel before. */
  readonly ran: number
}

async function runCells(
  notebook: Notebook,
  { executor, signal, allowErrors, ran }: RunCellsOptions,
): Promise<{ exitCode: number; cells: Cell[] }> {
  const language = languageOf(notebook)
  const late = new LateOutputs(ran)
  const displays = new Displays()
  const cells: Cell[] = []
  let exitCode = 0
  let count = 0
  let isOver = false
  let hasKernel = true
  for (const cell of notebook.cells) {
    const code = sourceOf(cell)
    const tags = cell.metadata?.tags ?? []
    if (cell.cell_type !== 'code' || isOver || tags.includes('skip-execution')) cells.push(cell)
    else if (code.trim() === '') cells.push({ ...cell, execution_count: null, outputs: [] })
    else {
      const outputs = new CellOutputs(++count, displays)
      const execution = executor.execute([{ language, code }], { signal })
      const result = await late.collect(execution, outputs)
      const mayFail = result.status === 'error' && tags.includes('raises-exception')
      if (exitCode === 0 && !mayFail) exitCode = result.exitCode
      cells.push({ ...cell, execution_count: count, outputs })
      // Of a kernel that died, what it knew is lost.
      isOver = signal.aborted || result.status === 'died' || (exitCode !== 0 && !allowErrors)
      hasKernel = result.status !== 'died' && !outputs.notices.some(({ code }) => code === 'state-lost')
    }
  }
  if (language === 'python' && hasKernel && count > 0) {
    await late.collect(
      executor.execute([{ language, code: waitForThreads }], { signal }),
      new CellOutputs(count, displays),
    )
  }
  return { exitCode, cells: cells.map(withList) }
}

/** Later cells can add late output to the outputs of a cell. */
function withList(cell: Cell): Cell {
  return cell.outputs instanceof CellOutputs ? { ...cell, outputs: cell.outputs.list } : cell
}
