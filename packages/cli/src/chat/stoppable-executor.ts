import type { CodeBlock, CodeExecutor, CodeResult, ExecuteOptions, Execution } from '@fenced/core'

/** An executor whose running blocks can be stopped without ending the conversation that they belong to. */
export class StoppableExecutor implements CodeExecutor {
  readonly #executor: CodeExecutor
  #stop: AbortController | undefined
  #lastResult: CodeResult | undefined

  constructor(executor: CodeExecutor) {
    this.#executor = executor
  }

  /** Of the blocks that were run last; `undefined` when there were none. */
  get lastResult(): CodeResult | undefined {
    return this.#lastResult
  }

  /** Whether there was something to stop that was not being stopped already. */
  stopBlocks(): boolean {
    if (this.#stop === undefined || this.#stop.signal.aborted) return false
    this.#stop.abort()
    return true
  }

  execute(blocks: readonly CodeBlock[], { signal, ...options }: ExecuteOptions = {}): Execution {
    const stop = new AbortController()
    const signals = signal === undefined ? [stop.signal] : [signal, stop.signal]
    const execution = this.#executor.execute(blocks, { ...options, signal: AbortSignal.any(signals) })
    const end = (result?: CodeResult) => {
      this.#stop = undefined
      this.#lastResult = result ?? this.#lastResult
    }
    this.#stop = stop
    execution.then(end, () => end())
    return execution
  }

  get name(): string {
    return this.#executor.name
  }

  get capabilities(): CodeExecutor['capabilities'] {
    return this.#executor.capabilities
  }

  get session(): CodeExecutor['session'] {
    return this.#executor.session
  }

  get workDir(): string | undefined {
    return this.#executor.workDir
  }

  start(...options: Parameters<CodeExecutor['start']>): Promise<void> {
    return this.#executor.start(...options)
  }

  restart(): Promise<void> {
    return this.#executor.restart()
  }

  stop(): Promise<void> {
    return this.#executor.stop()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}
