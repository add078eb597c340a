import type { TimedElsewhere } from './compare.ts'
import { PythonDriver } from './python-driver.ts'

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
  readonly #driver: PythonDriver

  /** `program` is the Python file that speaks to it. */
  static async open(python: string, program: URL, args: readonly string[] = []): Promise<AutoGen> {
    return new AutoGen(await PythonDriver.open(python, program, args))
  }

  private constructor(driver: PythonDriver) {
    this.#driver = driver
  }

  /** Its `start()`, of a new executor. */
  async start(): Promise<AutoGenAnswer & AsyncDisposable> {
    const answer = await this.#driver.ask<AutoGenAnswer>({ do: 'start' })
    return { ...answer, [Symbol.asyncDispose]: () => this.stop() }
  }

  /** Its `execute_code_blocks([block])`. */
  async run(language: string, code: string): Promise<AutoGenAnswer> {
    const answer = await this.#driver.ask<AutoGenAnswer>({ do: 'run', language, code })
    if (answer.exitCode !== 0) throw new Error(`AutoGen's block ended with exit code ${answer.exitCode}.`)
    return answer
  }

  async stop(): Promise<void> {
    await this.#driver.ask({ do: 'stop' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver[Symbol.asyncDispose]()
  }
}
