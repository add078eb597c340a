import { exitCodes, FencedError } from '@fenced/core'
import type { BlockIo, BlockOutcome, PreparedBlock } from '@fenced/core/driver'
import type { WarmPython } from '@fenced/python-runner'
import { isGone, workingDirectoryInside } from '../backend.ts'
import { describeLoss } from '../container/describe-loss.ts'
import { findInterpreter } from '../container/interpreters.ts'
import type { StartedContainer } from '../container/started-container.ts'
import type { RunnerPlace } from '../warm/container-runner.ts'
import type { CopyReport } from '../work-directory/copy-report.ts'
import { type BlockEnd, runBlock } from './run-block.ts'
import { runCommand } from './run-command.ts'

/** How long the files of a block that was stopped may take to come, in milliseconds. */
const lastCopyMs = 60_000

/** A block, and what runs it. */
export interface BlockToRun {
  readonly block: PreparedBlock
  readonly killGraceMs: number
  /** What runs Python blocks, if it can be had. */
  readonly warmPython: WarmPython<RunnerPlace> | undefined
}

/** With the command of its interpreter. */
interface ReadyBlock extends BlockToRun {
  readonly interpreter: readonly string[]
}

/**
 * Runs a block in a container and brings its files.
 *
 * @returns how it ended; `gone` when the container was not there and nothing was run; `stuck` when the block does
 * not end, so that the container must.
 */
export async function runInContainer(
  started: StartedContainer,
  task: BlockToRun,
  io: BlockIo,
): Promise<BlockOutcome | 'gone' | 'stuck'> {
  const { command: interpreter, notice } = findInterpreter(task.block.language, started.facts)
  if (notice !== undefined) io.notice(notice)
  if (interpreter === undefined) return { status: 'invalid', exitCode: exitCodes.notFound }
  const end = await begin(started, { ...task, interpreter }, io)
  if (end === 'gone' || end === 'stuck') return end
  if (end === 'lost') io.notice(await describeLoss(started.backend))
  else await copyOut(started, io)
  if (end !== 'lost') started.execs.prepare()
  return outcomeOf(end, io)
}

async function begin(started: StartedContainer, ready: ReadyBlock, io: BlockIo): Promise<BlockEnd | 'gone'> {
  const { interpreter, block, killGraceMs } = ready
  try {
    const remove = await copyIn(started, io.signal)
    const end = await runWarm(started, { ...ready, remove }, io)
    if (end !== undefined) return end
    const exec = await started.execs.take(io.signal)
    return await runBlock(exec, { command: [...interpreter, block.path], remove, killGraceMs }, io)
  } catch (error) {
    if (isGone(error)) return 'gone'
    throw error
  }
}

/** `undefined` when it is no block for a runner, or there is none. */
async function runWarm(
  started: StartedContainer,
  { block, interpreter, killGraceMs, warmPython, remove }: ReadyBlock & { remove: readonly string[] },
  io: BlockIo,
): Promise<BlockEnd | undefined> {
  if (block.language.id !== 'python' || warmPython === undefined) return undefined
  const removed = remove.length === 0 ? undefined : await removeInside(started, remove, io)
  if (removed === 'lost' || removed === 'stuck') return removed
  const program = { path: block.path, cwd: workingDirectoryInside, killGraceMs }
  const end = await warmPython.run(program, { container: started, python: interpreter }, io)
  // What is left of it, or holds it up, ends with its container.
  return end?.status === 'died' ? 'stuck' : end
}

/** A block that does nothing else. */
async function removeInside(
  { execs }: StartedContainer,
  remove: readonly string[],
  io: BlockIo,
): Promise<BlockEnd> {
  const exec = await execs.take(io.signal)
  return runBlock(exec, { command: ['true'], remove, killGraceMs: 0 }, io)
}

/** @returns the names that are to be removed in the container. */
async function copyIn(
  { backend, user, workDirectory }: StartedContainer,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!('copy' in workDirectory)) return []
  const names = await workDirectory.copy.copyIn({ signal })
  // Such a name does not fit into a line.
  const odd = names.filter((name) => name.includes('\n'))
  if (odd.length > 0) {
    const command = ['rm', '-rf', '--', ...odd]
    await runCommand(backend, { command, user, workingDirectory: workingDirectoryInside, signal })
  }
  return names.filter((name) => !name.includes('\n'))
}

async function copyOut({ workDirectory }: StartedContainer, { signal, notice }: BlockIo): Promise<void> {
  if (!('copy' in workDirectory)) return
  // The time limit is the program's; its files still come, but not for ever.
  const limit = AbortSignal.timeout(lastCopyMs)
  const report = await workDirectory.copy
    .copyOut({ signal: signal.aborted ? limit : signal })
    .catch((error: unknown) => {
      throw limit.aborted && error === limit.reason ? tooLate(error) : error
    })
  if (report.skippedCount > 0 || !report.complete)
    notice({ code: 'files-not-copied', message: leftThere(report) })
}

function tooLate(cause: unknown): FencedError {
  return new FencedError({
    code: 'ENGINE_LOST',
    message: `The files of a block that was stopped did not come out of the container within ${lastCopyMs / 1_000} seconds. They stay there; the next block brings them.`,
    cause,
  })
}

function leftThere({ skipped, skippedCount, complete }: CopyReport): string {
  const shown = skipped.slice(0, 10).map(({ name, why }) => `${JSON.stringify(name)} ${why}`)
  const more = skippedCount > shown.length ? `; and ${skippedCount - shown.length} more` : ''
  const rest = complete ? '' : ' There was so much of it that the rest was not looked at.'
  return `Not copied out of the container: ${shown.join('; ')}${more}.${rest}`
}

function outcomeOf(end: Exclude<BlockEnd, 'stuck'>, io: BlockIo): BlockOutcome {
  if (end === 'lost') return { status: 'died' }
  if (end.outOfMemory !== true) return end
  io.notice({
    code: 'out-of-memory',
    message:
      'Out of memory: the program was killed because it reached the `memoryBytes` limit of the container.',
  })
  return { status: 'out-of-memory' }
}
