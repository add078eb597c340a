import { readFileSync } from 'node:fs'
import { Skipped } from './measure.ts'

/** What a process takes, with the pages that it shares counted in shares (PSS), in MiB. */
export function proportionalSize(process: number | string | undefined): number {
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${process}/smaps_rollup`))?.[1]
  return Number(kibibytes) / 1024
}

/** The same for a process and all below it. */
export function proportionalSizeOfTree(process: string): number {
  return treeOf(process).reduce((sum, each) => sum + proportionalSize(each), 0)
}

function treeOf(process: string): readonly string[] {
  const children = read(`/proc/${process}/task/${process}/children`).split(' ').filter(Boolean)
  return [process, ...children.flatMap(treeOf)]
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (cause) {
    throw new Skipped(
      `${file} cannot be read. Memory of processes is available on Linux only, and for some processes to root only.`,
      {
        cause,
      },
    )
  }
}
