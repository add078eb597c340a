import type { BlockResult, OutputFile } from '@fenced/core'
import { visibleName } from '@fenced/core/text'
import type { Theme } from '../console/theme.ts'

/** `42 ms`, `1.3 s`, `60 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 119_950) return `${Number((milliseconds / 1_000).toFixed(1))} s`
  const seconds = Math.round(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `812 B`, `1.2 kB`, `3.4 MB`. */
function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** `1 program`, `3 programs`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** `created plot.png (1.6 kB)`. */
export function formatFile({ path, sizeBytes, change }: OutputFile): string {
  return `${change} ${visibleName(path)} (${formatSize(sizeBytes)})`
}

/** How a block ended: `ok`, `error, exit code 1`. Red for what failed. */
export function formatStatus(
  { status, exitCode }: Pick<BlockResult, 'status' | 'exitCode'>,
  { paint }: Pick<Theme, 'paint'>,
): string {
  if (status === 'ok') return paint('green', status)
  if (status === 'skipped' || status === 'denied') return paint('dim', status)
  return paint('red', `${status}, exit code ${exitCode}`)
}
