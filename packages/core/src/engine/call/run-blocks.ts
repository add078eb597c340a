import { errorMessage, FencedError } from '@fenced/errors'
import type { CodeBlock } from '@fenced/markdown'
import { sandboxPaused } from '../../sandbox/pause-switch.ts'
import type { CodeResult } from '../../vocabulary/code-result.ts'
import { exitCodes } from '../../vocabulary/exit-codes.ts'
import { type BlockTrace, traced } from '../../vocabulary/tracing.ts'
import { type BlockRun, type BlockTask, runBlock } from '../block/run-block.ts'
import type { EngineContext } from '../engine-context.ts'
import { cancelledText, endOfBlocks, joinedBlocks, keepFacts } from './end-of-blocks.ts'
import { particularsInForce } from './particulars-in-force.ts'

/** One call of `execute`, when it is its turn. */
export interface BlocksTask extends Omit<BlockTask, 'block' | 'index'> {
  readonly blocks: readonly CodeBlock[]
  readonly queuedMs: number
}

/** Runs blocks in order, up to the first that fails. */
export async function runBlocks(
  engine: EngineContext,
  { blocks, queuedMs, ...task }: BlocksTask,
): Promise<CodeResult> {
  const runs: BlockRun[] = []
  for (const [index, block] of blocks.entries()) {
    if (engine.driver.sandbox?.isPaused) throw pausedBefore(engine, codeResult(engine, runs, queuedMs))
    const run = await tracedBlock(engine, { ...task, block, index })
    runs.push(run)
    engine.driver.rested?.('block')
    const { status } = run.result
    // A driver that died or failed is started again before its next use.
    if (status === 'died' && engine.driver.recovers !== true) engine.markBroken()
    if (run.fault !== undefined) {
      throw callFailed(engine, { index, cause: run.fault.cause, result: codeResult(engine, runs, queuedMs) })
    }
    if (status !== 'ok' && status !== 'skipped') break
  }
  engine.driver.rested?.('call')
  return codeResult(engine, runs, queuedMs)
}

function tracedBlock(engine: EngineContext, task: BlockTask): Promise<BlockRun> {
  const { index, block } = task
  const trace: BlockTrace = { executor: engine.name, index, language: languageOf(block, engine) }
  return traced('fenced:block', trace, async () => {
    const run = await runBlock(engine, task)
    trace.blockResult = run.result
    return run
  })
}

/** A label is text of a model, of any length. A trace has one of the ids that the executor knows. */
function languageOf({ language }: CodeBlock, { languages }: EngineContext): string | undefined {
  return language === '' ? undefined : (languages.find(language)?.id ?? 'other')
}

/** The result of a call that was cancelled before its first block. */
export function cancelledBeforeStart(engine: EngineContext, queuedMs: number): CodeResult {
  const { cancelled: exitCode } = exitCodes
  return { ...codeResult(engine, [], queuedMs), status: 'cancelled', exitCode, output: cancelledText }
}

function codeResult(
  { capabilities, driver, options }: EngineContext,
  ran: readonly BlockRun[],
  queuedMs: number,
): CodeResult {
  const { redact } = options
  for (const { result, removedFiles } of ran) keepFacts(result, { redact, removedFiles })
  const blocks = ran.map(({ result }) => result)
  return {
    ...endOfBlocks(blocks),
    ...joinedBlocks(
      blocks,
      blocks.map(({ output }) => output),
    ),
    durationMs: blocks.reduce((sum, { durationMs }) => sum + durationMs, 0),
    queuedMs,
    isolation: {
      kind: capabilities.isolation,
      network: capabilities.network,
      particulars: particularsInForce(
        capabilities.isolationParticulars,
        driver.limitsInForce ?? driver.sandbox?.limitsInForce,
      ),
    },
  }
}

/** The executor is not at fault, and keeps its sandbox. */
function pausedBefore({ name }: EngineContext, result: CodeResult): FencedError {
  const { message, code, data } = sandboxPaused(name)
  return new FencedError({ code, message, data, result })
}

/** The executor is at fault, and not the code. What was done before it failed is in the error. */
function callFailed(
  { name }: EngineContext,
  { index, cause, result }: { index: number; cause: unknown; result: CodeResult },
): FencedError {
  const isKnown = FencedError.isInstance(cause)
  const reason = errorMessage(cause)
  const data = isKnown ? cause.data : { executor: name, block: `${index + 1}`, reason }
  return new FencedError({
    code: isKnown ? cause.code : 'DRIVER_FAILED',
    message: isKnown ? reason : `The executor "${name}" failed while it ran block ${index + 1}: ${reason}`,
    data,
    cause,
    result,
  })
}
