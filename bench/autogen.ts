import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { TimedElsewhere } from './compare.ts'

/** What the other process did, as it measured it itself. */
export interface AutoGenAnswer extends TimedElsewhere {
  readonly exitCode: number
  /** Characters of output. */
  readonly length: number
  /** By how many bytes the most memory that it ever had grew. */
  readonly grewBy: number
}

/** AutoGen's executor, in a Python process that stays. */
export class AutoGen implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>
  readonly #answers: AsyncIterator<string>

  /** `driver` is the Python file that speaks to it. */
  static async open(python: string, driver: URL, args: readonly string[] = []): Promise<AutoGen> {
    const child = spawn(python, [fileURLToPath(driver), ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(child, 'spawn')
    return new AutoGen(child)
  }

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#process = child
    this.#answers = createInterface(child.stdout)[Symbol.asyncIterator]()
    // Its end is seen by the missing answer.
    child.stdin.on('error', () => {})
  }

  /** Its `start()`, of a new executor. */
  async start(): Promise<AutoGenAnswer & AsyncDisposable> {
    const answer = await this.#ask({ do: 'start' })
    return { ...answer, [Symbol.asyncDispose]: () => this.stop() }
  }

  /** Its `execute_code_blocks([block])`. */
  async run(language: string, code: string): Promise<AutoGenAnswer> {
    const answer = await this.#ask({ do: 'run', language, code })
    if (answer.exitCode !== 0) throw new Error(`AutoGen's block ended with exit code ${answer.exitCode}.`)
    return answer
  }

  async stop(): Promise<void> {
    await this.#ask({ do: 'stop' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin.end()
    if (this.#process.exitCode === null) await once(this.#process, 'exit')
  }

  async #ask(request: object): Promise<AutoGenAnswer> {
    this.#process.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await this.#answers.next()
    if (done) throw new Error('The Python process with AutoGen ended; what it said is above.')
    return JSON.parse(value)
  }
}
