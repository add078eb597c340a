import type { CodeExecutor, Notice } from '@fenced/core'
import { createExecutor } from '../executor.ts'
import type { ExecutorChoice } from '../executor-options.ts'

/** The executor of `fenced run`. The executor that `auto` starts as a test also runs the code: a second start would take as long again. */
export class RunExecutor implements AsyncDisposable {
  readonly #signal: AbortSignal
  #executor: CodeExecutor | undefined
  /** Notices of the test. */
  readonly notices: Notice[] = []

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Starts an executor as a test. @throws the error of its start, after which nothing of it is left. */
  async test(choice: ExecutorChoice): Promise<void> {
    const executor = await createExecutor(choice)
    try {
      await executor.start({ signal: this.#signal, onNotice: (notice) => this.notices.push(notice) })
    } catch (error) {
      await executor.stop()
      throw error
    }
    this.#executor = executor
  }

  /** Returns the tested executor, or a new one. */
  async get(choice: ExecutorChoice): Promise<CodeExecutor> {
    this.#executor ??= await createExecutor(choice)
    return this.#executor
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#executor?.stop()
  }
}
