import type { TimedElsewhere } from '../compare.ts'
import { PythonDriver } from '../python-driver.ts'
import type { ChatsOptions } from './canned-chats.ts'

interface Answer extends TimedElsewhere {
  /** How many messages there were. */
  readonly count: number
}

/** The same conversations with somebody else's agents, in a Python process that stays. */
export class PeerChats implements AsyncDisposable {
  readonly #driver: PythonDriver

  /** `program` is the Python file that holds them. */
  static async open(python: string, program: URL): Promise<PeerChats> {
    return new PeerChats(await PythonDriver.open(python, program))
  }

  private constructor(driver: PythonDriver) {
    this.#driver = driver
  }

  /** @returns how long a message took. */
  async converse(options: ChatsOptions): Promise<TimedElsewhere> {
    const { tookMs, count } = await this.#driver.ask<Answer>(options)
    const expected = options.messages * options.chats
    if (count !== expected) throw new Error(`${count} messages instead of ${expected}.`)
    return { tookMs: tookMs / count }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver[Symbol.asyncDispose]()
  }
}
