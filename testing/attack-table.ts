import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const titles = ['result', 'attack', 'file'] as const

const results = { passed: 'held', failed: 'BROKEN', skipped: 'not tried', pending: 'not tried' } as const

type Row = readonly [result: string, attack: string, file: string]

/** Ends a run of the attacks with a table: what was tried, and whether it held. */
export class AttackTable implements Reporter {
  onTestRunEnd(testModules: readonly TestModule[]): void {
    const rows = testModules.flatMap(({ children }) => [...children.allTests()].map(rowOf))
    process.stdout.write(`\n${table(rows)}\n\n${summary(rows)}\n`)
  }
}

function rowOf(test: TestCase): Row {
  return [results[test.result().state], test.fullName, relative('', test.module.moduleId)]
}

/** A Markdown table that is aligned as plain text, too. */
function table(rows: readonly Row[]): string {
  const all = [titles, ...rows]
  const widths = titles.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const [head, ...body] = all.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n')
}

function summary(rows: readonly Row[]): string {
  const counts = Map.groupBy(rows, ([result]) => result)
  return [...counts].map(([result, { length }]) => `${length} ${result}`).join(', ')
}
