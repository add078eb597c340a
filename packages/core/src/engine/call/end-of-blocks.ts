import { existsSync } from 'node:fs'
import type { BlockResult, CodeResult, OutputFile } from '../../vocabulary/code-result.ts'
import { exitCodes } from '../../vocabulary/exit-codes.ts'
import { Redactor } from '../output/redactor.ts'
import { isWrongLanguage } from '../plan/what-runs.ts'

/**
 * The end of a call with these blocks: the end of the last block. The call is `invalid` where every block was skipped, and one
 * has a language that the executor does not run.
 */
export function endOfBlocks(blocks: readonly BlockResult[]): Pick<CodeResult, 'status' | 'exitCode'> {
  const last = blocks.at(-1)
  if (last === undefined) return { status: 'ok', exitCode: 0 }
  if (last.status !== 'skipped') return { status: last.status, exitCode: last.exitCode }
  const isWrong = areSkipped(blocks) && blocks.some(({ notices }) => notices.some(isWrongLanguage))
  return isWrong ? { status: 'invalid', exitCode: exitCodes.notFound } : { status: 'ok', exitCode: 0 }
}

/** The output of a call that was cancelled before its first block. */
export const cancelledText = 'Cancelled: nothing was run, because the caller asked to stop before it began.\n'

/** Whether there are blocks, and none of them was run or saved. */
export function areSkipped(blocks: readonly BlockResult[]): boolean {
  return blocks.length > 0 && blocks.every(({ status }) => status === 'skipped')
}

/** The engine's knowledge of a block beyond its result. */
interface BlockFacts {
  /** The secrets of the block's executor. */
  readonly redact: readonly string[]
  readonly removedFiles: readonly string[]
}

/** By block, not in the result: secrets must not travel with it. Other installed copies of this package find it, too. */
const key = Symbol.for('fenced.blockFacts')
const shared = globalThis as { [key]?: WeakMap<BlockResult, BlockFacts> }

/** Keeps the facts about a block for {@link joinedBlocks}. */
export function keepFacts(block: BlockResult, facts: BlockFacts): void {
  shared[key] ??= new WeakMap()
  shared[key].set(block, facts)
}

/**
 * The output and the files of these blocks together. The end of one block and the beginning of the next one can be a secret
 * together.
 *
 * @param outputs - the texts of which the output consists.
 */
export function joinedBlocks(
  blocks: readonly BlockResult[],
  outputs: readonly string[],
): Pick<CodeResult, 'output' | 'blocks' | 'files'> {
  const secrets = new Set(blocks.flatMap((block) => shared[key]?.get(block)?.redact ?? []))
  return { output: new Redactor([...secrets]).redact(outputs.join('')), blocks, files: filesOf(blocks) }
}

/** The result of one call with all blocks. @param results - of at least one call, in order. */
export function mergedResult(results: readonly CodeResult[]): CodeResult {
  const last = results.at(-1) as CodeResult
  const blocks = results.flatMap((result) => result.blocks)
  const { status, exitCode } = areSkipped(last.blocks) ? endOfBlocks(blocks) : last
  return {
    status,
    exitCode,
    ...joinedBlocks(
      blocks,
      results.map(({ output }) => output),
    ),
    durationMs: sumOf(results, 'durationMs'),
    queuedMs: sumOf(results, 'queuedMs'),
    isolation: last.isolation,
  }
}

/** Every file once, as the last block left it. */
function filesOf(blocks: readonly BlockResult[]): OutputFile[] {
  const files = new Map<string, OutputFile>()
  for (const block of blocks) {
    for (const path of removedBy(block, files)) files.delete(path)
    for (const file of block.files) {
      const change = files.get(file.path)?.change === 'created' ? 'created' : file.change
      files.set(file.path, { ...file, change })
    }
  }
  return [...files.values()]
}

/** The files of earlier blocks that a block removed. Executors of third parties do not tell. */
function removedBy(block: BlockResult, earlier: ReadonlyMap<string, OutputFile>): readonly string[] {
  const facts = shared[key]?.get(block)
  if (facts !== undefined) return facts.removedFiles
  const isGone = ({ absolutePath }: OutputFile) => absolutePath !== undefined && !existsSync(absolutePath)
  return [...earlier.values()].filter(isGone).map(({ path }) => path)
}

function sumOf(results: readonly CodeResult[], field: 'durationMs' | 'queuedMs'): number {
  return results.reduce((sum, result) => sum + result[field], 0)
}
