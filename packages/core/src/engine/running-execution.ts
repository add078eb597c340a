import type { CodeResult } from '../code-result.ts'
import type { Execution, ExecutionEvent } from '../execution.ts'
import { EventQueue } from './event-queue.ts'

/** The run behind an {@link Execution}: reports events as it goes and settles with the result. */
export type Run = (events: EventQueue) => Promise<CodeResult>

/** An {@link Execution} over a run that starts at once. */
export class RunningExecution implements Execution {
  readonly [Symbol.toStringTag] = 'Execution'
  readonly #events = new EventQueue()
  readonly #result: Promise<CodeResult>
  readonly #cancel: () => void

  /**
   * @param run - what is run.
   * @param cancel - ends it early; called when a reader leaves its loop.
   */
  constructor(run: Run, cancel: () => void) {
    this.#cancel = cancel
    this.#result = run(this.#events).then(
      (result) => {
        this.#events.push({ type: 'execution-end', result })
        this.#events.end()
        return result
      },
      (error: unknown) => {
        this.#events.fail(error)
        throw error
      },
    )
  }

  // biome-ignore lint/suspicious/noThenProperty: an execution is awaited for its result.
  then<Value = CodeResult, Other = never>(
    onResult?: ((result: CodeResult) => Value | PromiseLike<Value>) | null,
    onError?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    return this.#result.then(onResult, onError)
  }

  catch<Other = never>(
    onError?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<CodeResult | Other> {
    return this.#result.catch(onError)
  }

  finally(onSettled?: (() => void) | null): Promise<CodeResult> {
    return this.#result.finally(onSettled)
  }

  /** No generator: one that was never begun, or that waits for an event, does not hear that its reader leaves. */
  [Symbol.asyncIterator](): AsyncIterator<ExecutionEvent, undefined, undefined> {
    this.#events.claimReader()
    // The reader gets the error from the loop; without this it would count as unhandled as well.
    this.#result.catch(() => {})
    const events = this.#events.read()
    return {
      next: () => events.next(),
      return: async () => {
        this.#cancel()
        this.#events.release()
        await this.#result.catch(() => {})
        return events.return(undefined)
      },
    }
  }
}
