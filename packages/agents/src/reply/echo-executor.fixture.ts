import type { CodeExecutor } from '@fenced/core'
import {
  type BlockIo,
  type BlockOutcome,
  DriverExecutor,
  engineOptionsShape,
  givenOptions,
  parseOptions,
} from '@fenced/core/driver'
import { z } from '@fenced/core/zod'

/** What `plot` shows: a PNG of one pixel. */
export const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** What a block does whose first line is one of these, with a text in base64 below it. Any other block prints its code. */
const programs: Readonly<Record<string, (io: BlockIo, text: string) => Promise<BlockOutcome>>> = {
  stdout: async (io, text) => {
    await io.write('stdout', Buffer.from(text))
    return { exitCode: 0 }
  },
  stderr: async (io, text) => {
    await io.write('stderr', Buffer.from(text))
    return { exitCode: 1 }
  },
  show: async (io, text) => {
    io.result({ 'text/plain': text })
    return { exitCode: 0 }
  },
  throw: async (_, text) => {
    throw new Error(text)
  },
  fail: async (io) => {
    await io.write('stderr', Buffer.from('it went wrong\n'))
    return { exitCode: 3 }
  },
  plot: async (io) => {
    io.result({ 'image/png': picture })
    return { exitCode: 0 }
  },
  hang: (io) =>
    new Promise((resolve) => {
      io.signal.addEventListener('abort', () => resolve({ exitCode: 0 }), { once: true })
    }),
  broken: async (io) => {
    await io.write('stdout', Buffer.from('so far so good\n'))
    throw new Error('the executor is gone')
  },
}

/** An executor without processes: for conversations, to which one executor is like the other. */
export class EchoExecutor extends DriverExecutor implements CodeExecutor {
  /** The code of every block that was run. */
  readonly ran: string[]
  stops = 0

  constructor(options: Readonly<Record<string, unknown>> = {}) {
    const ran: string[] = []
    const settings = parseOptions(z.strictObject(engineOptionsShape), options, 'the echo executor')
    super({
      name: 'echo',
      driver: {
        run: async ({ code }, io) => {
          ran.push(code.trim())
          const [name = '', text = ''] = code.trim().split('\n')
          const program = programs[name]
          if (program !== undefined) return program(io, Buffer.from(text, 'base64').toString())
          await io.write('stdout', Buffer.from(`${code.trim()}\n`))
          return { exitCode: 0 }
        },
      },
      capabilities: {
        languages: ['python', 'sh'],
        isolation: 'none',
        stateful: [],
        richOutput: false,
        network: 'none',
        limits: { memory: false, processes: false },
      },
      options: settings,
      stopGraceMs: 1_000,
      configuration: { provider: 'echo', options: givenOptions(options, settings) },
    })
    this.ran = ran
  }

  override async stop(): Promise<void> {
    this.stops++
    await super.stop()
  }
}

/** A fenced block. */
export const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``
