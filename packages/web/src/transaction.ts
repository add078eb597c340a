import type { DatabaseSync } from 'node:sqlite'

/** Writes everything, or nothing. */
export function transaction<Result>(database: DatabaseSync, write: () => Result): Result {
  database.exec('BEGIN')
  try {
    const result = write()
    database.exec('COMMIT')
    return result
  } catch (error) {
    try {
      database.exec('ROLLBACK')
    } catch {
      // SQLite has done it already.
    }
    throw error
  }
}
