import type { CodeExecutor } from '../code-executor.ts'
import { DriverExecutor } from '../engine/driver-executor.ts'
import { engineOptionsShape } from '../engine/options.ts'
import { parseOptions } from '../options/parse-options.ts'
import { z } from '../zod.ts'

/** An executor without processes: a block prints its code, `fail` ends with exit code 3, `hang` does not end. */
export class EchoExecutor extends DriverExecutor implements CodeExecutor {
  /** The code of every block that was run. */
  readonly ran: string[]
  stops = 0

  constructor(changes: Partial<CodeExecutor['capabilities']> = {}) {
    const ran: string[] = []
    super({
      name: 'echo',
      driver: {
        run: async ({ code }, { write, signal }) => {
          const word = code.trim()
          ran.push(word)
          if (word === 'hang') await new Promise((resolve) => signal.addEventListener('abort', resolve))
          await write('stdout', Buffer.from(`${word}\n`))
          return { exitCode: word === 'fail' ? 3 : 0 }
        },
      },
      capabilities: {
        languages: ['python', 'sh'],
        isolation: 'none',
        stateful: [],
        richOutput: false,
        network: 'none',
        limits: { memory: false, processes: false },
        ...changes,
      },
      options: parseOptions(z.strictObject(engineOptionsShape), {}, 'the echo executor'),
      stopGraceMs: 1_000,
    })
    this.ran = ran
  }

  override async stop(): Promise<void> {
    this.stops++
    await super.stop()
  }
}
