import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import {
  type BlockIo,
  type BlockOutcome,
  type Driver,
  DriverExecutor,
  engineOptionsShape,
  type Language,
  parseOptions,
} from '@fenced/core'
import { z } from 'zod'

const optionsSchema = z.strictObject(engineOptionsShape)

const sql: Language = {
  id: 'sql',
  aliases: ['sqlite'],
  extension: 'sql',
  comments: [{ open: '--' }],
  kind: 'run',
}

/** Runs SQL blocks in a database in memory, which lives until the executor is stopped or restarted. */
export class SqlExecutor extends DriverExecutor {
  constructor(options: z.input<typeof optionsSchema> = {}) {
    const settings = parseOptions(optionsSchema, options, 'SqlExecutor')
    super({
      name: 'sql',
      driver: new SqlDriver(),
      options: { ...settings, languages: [sql, ...settings.languages] },
      capabilities: {
        languages: ['sql'],
        isolation: 'none',
        stateful: true,
        richOutput: false,
        network: false,
        limits: { memory: false, processes: false },
      },
    })
  }
}

class SqlDriver implements Driver {
  #database: DatabaseSync | undefined

  async start(): Promise<void> {
    this.#database = new DatabaseSync(':memory:')
  }

  async run({ code }: { readonly code: string }, io: BlockIo): Promise<BlockOutcome> {
    try {
      for (const statement of code.split(/(?<=;)\s*\n/)) await this.#print(statement, io)
      return { exitCode: 0 }
    } catch (error) {
      await io.write('stderr', Buffer.from(`${(error as Error).message}\n`))
      return { exitCode: 1 }
    }
  }

  async stop(): Promise<void> {
    this.#database?.close()
    this.#database = undefined
  }

  async #print(statement: string, io: BlockIo): Promise<void> {
    for (const row of this.#database?.prepare(statement).iterate() ?? []) {
      // SQLite runs in this process: only between two rows a time limit can be heard.
      await setImmediate()
      if (io.signal.aborted) return
      await io.write('stdout', Buffer.from(`${Object.values(row).join('|')}\n`))
    }
  }
}
