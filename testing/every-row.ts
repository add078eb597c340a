import { inspect } from 'node:util'

declare module 'vitest' {
  interface TestContext {
    /** Checks each row of a table, for a table that shows one behavior with many examples. */
    readonly everyRow: typeof everyRow
  }
}

/**
 * Calls `check` with each row, one after the other. A row that is an array becomes the arguments, as in `it.each`.
 * @throws One error for all rows that failed: it names each with its message.
 */
export async function everyRow<Row extends readonly unknown[] | readonly [unknown]>(
  rows: readonly Row[],
  check: (...row: [...Row]) => unknown,
): Promise<void>
export async function everyRow<Row>(rows: readonly Row[], check: (row: Row) => unknown): Promise<void>
export async function everyRow(rows: readonly unknown[], check: (...row: unknown[]) => unknown) {
  if (rows.length === 0) throw new Error('The table has no rows. Add a row, or delete the test.')
  const failures: Error[] = []
  for (const [index, row] of rows.entries()) {
    try {
      await check(...(Array.isArray(row) ? row : [row]))
    } catch (error) {
      failures.push(failureOf(`row ${index + 1} of ${rows.length}, ${nameOf(row)}`, error))
    }
  }
  if (failures.length === 0) return
  const messages = failures.map(({ message }) => message)
  throw new AggregateError(
    failures,
    `${failures.length} of ${rows.length} rows failed:\n${messages.join('\n')}`,
  )
}

const longestName = 200

function nameOf(row: unknown): string {
  const name = inspect(row, { breakLength: Number.POSITIVE_INFINITY, depth: 2 }).replaceAll('\n', '\\n')
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name
}

/** Vitest prints the errors of an `AggregateError` one by one, each with its stack and with the difference of its values. */
function failureOf(name: string, error: unknown): Error {
  if (!(error instanceof Error)) return new Error(`${name}: ${inspect(error)}`)
  const { message, stack, ...others } = error
  return Object.assign(new Error(`${name}: ${message}`), { ...others, name: error.name, stack })
}
