import { existsSync } from 'node:fs'
import type { BlockResult, CodeResult, OutputFile } from '../code-result.ts'
import { exitCodes } from '../exit-codes.ts'
import { isWrongLanguage } from './what-runs.ts'

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

/** Adds the files of a later block to those of earlier blocks: each path once, as the last block left it. */
export function addFiles(all: Map<string, OutputFile>, files: readonly OutputFile[]): void {
  for (const file of files) {
    const change = all.get(file.path)?.change === 'created' ? 'created' : file.change
    all.set(file.path, { ...file, change })
  }
}

/** The result of one call with all blocks. @param results - of at least one call, in order. */
export function mergedResult(results: readonly CodeResult[]): CodeResult {
  const last = results.at(-1) as CodeResult
  const blocks = results.flatMap((result) => result.blocks)
  const { status, exitCode } = areSkipped(last.blocks) ? endOfBlocks(blocks) : last
  return {
    status,
    exitCode,
    output: results.map(({ output }) => output).join(''),
    blocks,
    files: mergedFiles(results),
    durationMs: sumOf(results, 'durationMs'),
    queuedMs: sumOf(results, 'queuedMs'),
    isolation: last.isolation,
  }
}

/** Every file once, as the last block left it. */
function mergedFiles(results: readonly CodeResult[]): OutputFile[] {
  const files = new Map<string, OutputFile>()
  for (const result of results) addFiles(files, result.files)
  // A later block may have removed one.
  return [...files.values()].filter(
    ({ absolutePath }) => absolutePath === undefined || existsSync(absolutePath),
  )
}

function sumOf(results: readonly CodeResult[], field: 'durationMs' | 'queuedMs'): number {
  return results.reduce((sum, result) => sum + result[field], 0)
}
