import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { Language } from '@fenced/core'
import { type BlockIo, defineExecutor } from '@fenced/core/driver'

const sql: Language = {
  id: 'sql',
  aliases: ['sqlite'],
  extension: 'sql',
  comments: [{ open: '--' }],
  kind: 'run',
}

/** Runs SQL blocks in a database in memory, which lives until the executor is stopped or restarted. */
export const sqlExecutor = defineExecutor({
  name: 'sql',
  languages: [sql],
  capabilities: { stateful: ['sql'], network: 'none' },
  driver() {
    let database: DatabaseSync | undefined
    return {
      async start() {
        database = new DatabaseSync(':memory:')
      },
      async run({ code }, io) {
        try {
          for (const statement of code.split(/(?<=;)\s*\n/)) await print(database, statement, io)
          return { exitCode: 0 }
        } catch (error) {
          await io.write('stderr', Buffer.from(`${(error as Error).message}\n`))
          return { exitCode: 1 }
        }
      },
      async stop() {
        database?.close()
        database = undefined
      },
    }
  },
})

async function print(database: DatabaseSync | undefined, statement: string, io: BlockIo): Promise<void> {
  for (const row of database?.prepare(statement).iterate() ?? []) {
    // SQLite runs in this process: a time limit can only stop it between two rows.
    await setImmediate()
    if (io.signal.aborted) return
    await io.write('stdout', Buffer.from(`${Object.values(row).join('|')}\n`))
  }
}
