import { rm } from 'node:fs/promises'
import type { TimedElsewhere } from '../compare.ts'
import { PythonDriver } from '../python-driver.ts'

interface Answer extends TimedElsewhere {
  readonly output: string
}

/** AG2's VenvPythonEnvironment, in a Python process that stays. */
export class Ag2Environment implements AsyncDisposable {
  readonly #driver: PythonDriver

  static async open(python: string): Promise<Ag2Environment> {
    return new Ag2Environment(await PythonDriver.open(python, new URL('./ag2-venv.py', import.meta.url)))
  }

  private constructor(driver: PythonDriver) {
    this.#driver = driver
  }

  /** Its constructor, which makes it where nothing is. */
  async create(path: string): Promise<TimedElsewhere & AsyncDisposable> {
    const answer = await this.#driver.ask<Answer>({ do: 'create', path })
    return { ...answer, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
  }

  /** Its constructor, and its `execute_code`. */
  async run(path: string, code: string): Promise<TimedElsewhere> {
    const answer = await this.#driver.ask<Answer>({ do: 'run', path, code })
    if (answer.output === '') throw new Error("AG2's environment printed nothing.")
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver[Symbol.asyncDispose]()
  }
}
