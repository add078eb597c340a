import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Row } from '../row.ts'
import { Skipped } from '../skipped.ts'
import type { Language } from './language.ts'
import { WaitingNode } from './waiting-node.ts'

/** Until it waits. */
const pauseMs = 500

/** What a Node takes while it waits, with the pages that it shares counted in shares (PSS). */
export async function memoryRow(language: Language): Promise<Row[]> {
  await using waiting = new WaitingNode(language)
  await delay(pauseMs)
  return [
    {
      measured: `.${language.extension}: memory of a Node that waits (PSS)`,
      unit: 'MiB',
      rounds: 1,
      ours: { p50: proportionalSize(waiting.pid) },
    },
  ]
}

function proportionalSize(process: number | undefined): number {
  const file = `/proc/${process}/smaps_rollup`
  try {
    const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(file, 'latin1'))?.[1]
    return Number(kibibytes) / 1024
  } catch (cause) {
    throw new Skipped(`${file} cannot be read. Only Linux tells what a process takes.`, { cause })
  }
}
