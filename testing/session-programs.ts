import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { expect as Expect } from 'vitest'

interface Executor {
  readonly session?:
    | {
        undo(steps: number): Promise<{ readonly notices: readonly { readonly code: string }[] }>
        restore(name: string): Promise<unknown>
        checkpoint(name: string): Promise<void>
      }
    | undefined
  execute(
    blocks: readonly { readonly language: string; readonly code: string }[],
    options?: { timeoutMs?: number },
  ): PromiseLike<{ readonly blocks: readonly { readonly stdout: string; readonly stderr: string }[] }>
}

interface Program {
  readonly number: number
  readonly setup: readonly string[]
  readonly undone: readonly string[]
  readonly following: readonly string[]
}

const dump = readFileSync(new URL('session/dump.py', import.meta.url), 'utf8')
const generator = new URL('session/programs.py', import.meta.url).pathname

/** Which programs to generate, with which Python. */
export interface SessionPrograms {
  readonly python: string
  readonly first: number
  readonly count: number
  /** Whether the programs use numpy and pandas. */
  readonly libraries?: boolean
}

/** A program after which a session was not what it had been. */
interface Difference {
  readonly program: Program
  readonly lines: readonly string[]
}

/**
 * Runs generated programs: cells, other cells that are undone, and cells that follow. Returns the programs for which the state after
 * `undo` differs from the state before, or cells that follow print something else. Also returns how many programs changed the state.
 */
export async function undoneDifferences(
  executor: Executor,
  { python, first, count, libraries = false }: SessionPrograms,
): Promise<{ readonly differences: readonly Difference[]; readonly changed: number }> {
  const args = [generator, `${first}`, `${count}`, ...(libraries ? ['libraries'] : [])]
  const programs: Program[] = JSON.parse(execFileSync(python, args, { encoding: 'utf8', maxBuffer: 2 ** 26 }))
  const run = new ProgramRun(executor)
  await run.cell('')
  await executor.session?.checkpoint('start')
  const differences: Difference[] = []
  for (const program of programs) {
    await executor.session?.restore('start')
    const lines = await run.differences(program)
    if (lines.length > 0) differences.push({ program, lines })
  }
  return { differences, changed: run.changed }
}

class ProgramRun {
  changed = 0
  readonly #executor: Executor

  constructor(executor: Executor) {
    this.#executor = executor
  }

  async differences({ setup, undone, following }: Program): Promise<readonly string[]> {
    await this.#cells(setup)
    const before = await this.#state(true)
    const printed = await this.#cells(following)
    const after = await this.#state(false)
    await this.#undo(following.length + 1)
    await this.#cells(undone)
    if ((await this.#state(true)) !== before) this.changed++
    await this.#undo(undone.length + 1)
    return [
      ...linesOf(before, await this.#state(true)),
      ...linesOf(printed, await this.#cells(following)),
      ...linesOf(after, await this.#state(false)),
    ]
  }

  async cell(code: string): Promise<string> {
    const { blocks } = await this.#executor.execute([{ language: 'python', code }], { timeoutMs: 60_000 })
    const [{ stdout, stderr } = { stdout: '', stderr: '' }] = blocks
    // Cells are counted, and a dump is a cell.
    return `${stdout}${stderr}`.replaceAll(/<cell \d+>/g, '<cell>')
  }

  async #cells(cells: readonly string[]): Promise<string> {
    const printed: string[] = []
    for (const code of cells) printed.push(await this.cell(code))
    return printed.join('\n')
  }

  #state(withTimes: boolean): Promise<string> {
    return this.cell(dump.replaceAll('WITH_TIMES', withTimes ? 'True' : 'False'))
  }

  async #undo(steps: number): Promise<void> {
    await this.#executor.session?.undo(steps)
  }
}

function linesOf(before: string, after: string): readonly string[] {
  if (before === after) return []
  const [one, other] = [before.split('\n'), after.split('\n')]
  const only = (lines: readonly string[], others: readonly string[], mark: string) =>
    lines.filter((line) => !others.includes(line)).map((line) => `${mark} ${line.slice(0, 500)}`)
  return [...only(one, other, '-'), ...only(other, one, '+'), '(differs)']
}

/** Expects that undo restores the state before generated programs, most of which change it. */
export async function expectUndone(
  expect: typeof Expect,
  executor: Executor,
  programs: SessionPrograms,
): Promise<void> {
  const { differences, changed } = await undoneDifferences(executor, programs)
  expect(differences).toEqual([])
  // Otherwise the test would show nothing.
  expect(changed).toBeGreaterThan(programs.count / 2)
}
