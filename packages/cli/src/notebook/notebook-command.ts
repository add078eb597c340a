import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { CodeExecutor } from '@fenced/core'
import { untilStopped } from '../stop-signals.ts'
import { forStream, readText } from '../streams.ts'
import { CellOutputs } from './cell-outputs.ts'
import { Displays } from './displays.ts'
import { LateOutputs, waitForThreads } from './late-outputs.ts'
import { type Cell, languageOf, type Notebook, notebookText, readNotebook, sourceOf } from './notebook.ts'
import { type KernelOptions, notebookKernel } from './notebook-kernel.ts'
import { NotebookMessages } from './notebook-messages.ts'

export interface NotebookOptions extends KernelOptions {
  /** Default: {@link usualOutput}. */
  readonly output?: string
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
    const output = options.output ?? usualOutput(path)
    await using kernel = await notebookKernel(notebook, options)
    const { executor, seesNotebook } = kernel
    const messages = new NotebookMessages(notebook.cells.filter(mayRun).length)
    await executor.start({ signal, onNotice: (notice) => messages.notice(notice) })
    const ran =
      path === '-' || !seesNotebook || languageOf(notebook) !== 'python'
        ? 0
        : await changeDirectory(dirname(resolve(path)), executor)
    const run = { executor, signal, ran, messages, allowErrors: options.allowErrors }
    const { exitCode, cells, isOver } = await runCells(notebook, run)
    const written = notebookText({ ...notebook, cells })
    if (output === '-') process.stdout.write(forStream(process.stdout, written))
    else await writeFile(output, written)
    await messages.written(output, isOver)
    return exitCode
  })
}

/** Beside the notebook, which stays as it is: `a.ipynb` becomes `a.out.ipynb`. */
function usualOutput(path: string): string {
  if (path === '-') return '-'
  return `${path.replace(/\.ipynb$/, '')}.out.ipynb`
}

function mayRun(cell: Cell): boolean {
  const tags = cell.metadata?.tags ?? []
  return cell.cell_type === 'code' && !tags.includes('skip-execution') && sourceOf(cell).trim() !== ''
}

/**
 * Cells find files beside their notebook, as in Jupyter. What they show is not saved there a second time.
 *
 * @returns how many cells of the kernel this took: 1 in a kernel that is not IPython.
 */
async function changeDirectory(directory: string, executor: CodeExecutor): Promise<number> {
  const code = `exec(${JSON.stringify(enterDirectory)}, {"directory": ${JSON.stringify(directory)}, "shell": globals().get("get_ipython", lambda: None)()})`
  const { output } = await executor.execute([{ language: 'python', code }])
  return output === '' ? 0 : 1
}

/** Leaves no name behind, and IPython does not count it: the first cell of the notebook is the kernel's first in each traceback. */
const enterDirectory = `import os
os.chdir(directory)
try:
    shell.history_manager.reset()
    shell.execution_count -= 1
except Exception:
    print("counted")
`

interface RunCellsOptions {
  readonly executor: CodeExecutor
  readonly signal: AbortSignal
  readonly allowErrors: boolean
  readonly messages: NotebookMessages
  /** How many cells ran in the kernel before. */
  readonly ran: number
}

async function runCells(
  notebook: Notebook,
  { executor, signal, allowErrors, messages, ran }: RunCellsOptions,
): Promise<{ exitCode: number; cells: Cell[]; isOver: boolean }> {
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
    if (isOver || cell.cell_type !== 'code' || tags.includes('skip-execution')) cells.push(cell)
    else if (!mayRun(cell)) cells.push({ ...cell, execution_count: null, outputs: [] })
    else {
      const outputs = new CellOutputs(++count, displays)
      const execution = executor.execute([{ language, code }], { signal })
      const result = await late.collect(execution, outputs)
      const mayFail = result.status === 'error' && tags.includes('raises-exception')
      if (exitCode === 0 && !mayFail) exitCode = result.exitCode
      if (!mayFail) await messages.ended(count, result)
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
  return { exitCode, cells: cells.map(withList), isOver }
}

/** Later cells can add late output to the outputs of a cell. */
function withList(cell: Cell): Cell {
  return cell.outputs instanceof CellOutputs ? { ...cell, outputs: cell.outputs.list } : cell
}
