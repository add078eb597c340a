import type { CodeBlock } from '../code-block.ts'
import type { BlockResult, CodeResult, OutputFile } from '../code-result.ts'
import { exitCodes } from '../exit-codes.ts'
import { FencedError } from '../fenced-error.ts'
import type { EngineContext } from './engine-context.ts'
import type { EventQueue } from './event-queue.ts'
import { PlaceFailure, runBlock } from './run-block.ts'
import type { RanBlock } from './run-program.ts'

/** One call of `execute`, when it is its turn. */
export interface BlocksTask {
  readonly blocks: readonly CodeBlock[]
  readonly events: EventQueue
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly queuedMs: number
}

/** Runs blocks in order, up to the first that fails. */
export async function runBlocks(
  place: EngineContext,
  { blocks, queuedMs, ...task }: BlocksTask,
): Promise<CodeResult> {
  const ran: RanBlock[] = []
  for (const [index, block] of blocks.entries()) {
    try {
      ran.push(await runBlock(place, { ...task, block, index }))
    } catch (error) {
      if (!(error instanceof PlaceFailure)) throw error
      throw callFailed(place, index, error.cause, codeResult(place, [...ran, error.ran], queuedMs))
    }
    const { status } = ran[index]?.result ?? {}
    if (status !== 'ok' && status !== 'skipped') break
  }
  return codeResult(place, ran, queuedMs)
}

/** The result of a call that was cancelled before its first block. */
export function cancelledBeforeStart(place: EngineContext, queuedMs: number): CodeResult {
  const output = 'Cancelled: nothing was run, because the caller asked to stop before it began.\n'
  return { ...codeResult(place, [], queuedMs), status: 'cancelled', exitCode: exitCodes.cancelled, output }
}

function codeResult({ capabilities }: EngineContext, ran: readonly RanBlock[], queuedMs: number): CodeResult {
  const blocks = ran.map(({ result }) => result)
  const last = blocks.at(-1)
  return {
    status: last === undefined || last.status === 'skipped' ? 'ok' : last.status,
    exitCode: last?.exitCode ?? 0,
    output: outputOf(blocks),
    blocks,
    files: filesOf(ran),
    durationMs: blocks.reduce((sum, { durationMs }) => sum + durationMs, 0),
    queuedMs,
    isolation: {
      kind: capabilities.isolation,
      network: capabilities.network,
      particulars: capabilities.isolationParticulars ?? {},
    },
  }
}

/** What a model reads. Where no block was run at all it learns why, instead of reading nothing. */
function outputOf(blocks: readonly BlockResult[]): string {
  const output = blocks.map((block) => block.output).join('')
  if (output !== '' || blocks.some(({ status }) => status !== 'skipped')) return output
  return blocks.flatMap(({ notices }) => notices.map(({ message }) => `${message}\n`)).join('')
}

/** Every file once, as the last block left it. */
function filesOf(ran: readonly RanBlock[]): OutputFile[] {
  const files = new Map<string, OutputFile>()
  for (const { result, removedFiles } of ran) {
    for (const path of removedFiles) files.delete(path)
    for (const file of result.files) {
      const change = files.get(file.path)?.change === 'created' ? 'created' : file.change
      files.set(file.path, { ...file, change })
    }
  }
  return [...files.values()]
}

/** The place is at fault. What was done before it failed travels with the error. */
function callFailed(place: EngineContext, index: number, cause: unknown, result: CodeResult): FencedError {
  const known = FencedError.isInstance(cause)
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new FencedError({
    code: known ? cause.code : 'DRIVER_FAILED',
    message: known
      ? reason
      : `The executor "${place.name}" failed while it ran block ${index + 1}: ${reason}`,
    cause,
    result,
  })
}
