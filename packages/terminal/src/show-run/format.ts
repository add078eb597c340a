import type { BlockResult, OutputFile } from '@fenced/core'
import { formatBytes, visibleName } from '@fenced/errors/text'
import type { Theme } from '../console/theme.ts'

/** `1 program`, `3 programs`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** `created plot.png (1.6 kB)`. */
export function formatFile({ path, sizeBytes, change }: OutputFile): string {
  return `${change} ${visibleName(path)} (${formatBytes(sizeBytes)})`
}

/** How a block ended: `ok`, `error, exit code 1`, with the line of its error. Red for what failed. */
export function formatStatus(
  { status, exitCode, error }: Pick<BlockResult, 'status' | 'exitCode' | 'error'>,
  { paint }: Pick<Theme, 'paint'>,
): string {
  if (status === 'ok') return paint('green', status)
  if (status === 'skipped' || status === 'denied') return paint('dim', status)
  const { line } = error?.traceback.findLast(({ blockIndex }) => blockIndex !== undefined) ?? {}
  const place = line === undefined ? '' : ` in line ${line}`
  return paint('red', `${status}${place}, exit code ${exitCode}`)
}
