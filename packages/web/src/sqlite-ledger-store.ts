import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { LedgerStore } from '@fenced/core'

/** Decisions in the database of the conversations: a later server knows which programs have begun. */
export class SqliteLedgerStore implements LedgerStore {
  readonly #create: StatementSync
  readonly #read: StatementSync
  readonly #list: StatementSync
  readonly #remove: StatementSync

  constructor(database: DatabaseSync) {
    this.#create = database.prepare('INSERT OR IGNORE INTO decisions (id, step, entry) VALUES (?, ?, ?)')
    this.#read = database.prepare('SELECT step, entry FROM decisions WHERE id = ?')
    this.#list = database.prepare('SELECT DISTINCT id FROM decisions')
    this.#remove = database.prepare('DELETE FROM decisions WHERE id = ?')
  }

  async create({ id, step }: Parameters<LedgerStore['create']>[0], entry: object): Promise<boolean> {
    return this.#create.run(id, step, JSON.stringify(entry)).changes !== 0
  }

  async read(id: string): Promise<Record<string, unknown>> {
    const rows = this.#read.all(id).map(({ step, entry }) => [step, JSON.parse(String(entry))])
    return Object.fromEntries(rows)
  }

  async list(): Promise<string[]> {
    return this.#list.all().map(({ id }) => String(id))
  }

  async remove(id: string): Promise<void> {
    this.#remove.run(id)
  }
}
