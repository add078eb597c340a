import type { CodeExecutor, Execution } from '@fenced/core'
import { anySignal, bytesOfOutput } from '@fenced/core/internal'
import { OutputStream } from './output-stream.ts'
import { reasonsOf, startShell } from './run-shell.ts'

export interface SpawnedProcessParts {
  readonly executor: CodeExecutor
  readonly code: string
  readonly timeoutMs: number | undefined
  readonly abortSignal: AbortSignal | undefined
  readonly leave: () => Promise<void>
}

export class SpawnedProcess {
  readonly #outputs = { stdout: new OutputStream(), stderr: new OutputStream() }
  readonly #killing = new AbortController()
  readonly #end: Promise<{ exitCode: number }>

  constructor({ executor, code, timeoutMs, abortSignal, leave }: SpawnedProcessParts) {
    const release = () => this.#release()
    const signals = abortSignal === undefined ? [] : [abortSignal]
    const signal = anySignal([this.#killing.signal, ...signals])
    signal.addEventListener('abort', release, { once: true })
    const execution = startShell(executor, code, { signal, timeoutMs })
    // Also a time limit ends it: what is left to hand on is bounded, and a caller that waits must not wait for a reader.
    execution.then(release, release)
    this.#end = this.#follow(execution, { abortSignal, leave })
    // The promise may have no waiter.
    this.#end.catch(() => {})
  }

  get stdout(): ReadableStream<Uint8Array> {
    return this.#outputs.stdout.readable
  }

  get stderr(): ReadableStream<Uint8Array> {
    return this.#outputs.stderr.readable
  }

  async wait(): Promise<{ exitCode: number }> {
    return this.#end
  }

  async kill(): Promise<void> {
    this.#killing.abort()
    await this.#end.catch(() => {})
  }

  async #follow(
    execution: Execution,
    { abortSignal, leave }: Pick<SpawnedProcessParts, 'abortSignal' | 'leave'>,
  ): Promise<{ exitCode: number }> {
    try {
      const exitCode = await this.#handOn(execution)
      for (const output of Object.values(this.#outputs)) output.end()
      abortSignal?.throwIfAborted()
      return { exitCode }
    } catch (error) {
      for (const output of Object.values(this.#outputs)) output.fail(error)
      throw error
    } finally {
      await leave()
    }
  }

  async #handOn(execution: Execution): Promise<number> {
    for await (const event of execution) {
      if (event.type !== 'stdout' && event.type !== 'stderr') continue
      await this.#outputs[event.type].write(bytesOfOutput(event))
    }
    const result = await execution
    const reasons = reasonsOf(result, result.blocks[0]?.stderr ?? '')
    await this.#outputs.stderr.write(new TextEncoder().encode(reasons))
    return result.exitCode
  }

  #release(): void {
    for (const output of Object.values(this.#outputs)) output.release()
  }
}
