import type { Bench } from './arguments.ts'
import { languages } from './javascript/language.ts'
import { memoryRow } from './javascript/memory.ts'
import { startsRows } from './javascript/starts.ts'
import { throughputRows } from './javascript/throughput.ts'
import type { Row } from './row.ts'
import { rowsUnlessSkipped } from './skipped.ts'

/** What could make a JavaScript block start sooner, beside a bare start of Node. docs/javascript-starts.md has the answer. */
export const javascriptBench: Bench = async ({ rounds }) => {
  const rows: Row[] = []
  for (const language of languages) {
    rows.push(...(await startsRows(language, rounds ?? 10)))
    rows.push(...(await throughputRows(language, rounds ?? 5)))
    rows.push(...(await rowsUnlessSkipped('memory of a waiting Node', () => memoryRow(language))))
  }
  return rows
}
