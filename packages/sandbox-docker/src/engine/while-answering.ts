import { setTimeout as delay } from 'node:timers/promises'
import type Docker from 'dockerode'
import { Fault } from './fault.ts'

/** Dockerode's types do not know that it takes options. */
interface WithPing {
  ping(options: { readonly abortSignal: AbortSignal }): Promise<unknown>
}

/** Asks an engine whether it answers. */
export function pingThrough(docker: Docker, signal: AbortSignal): Promise<unknown> {
  return (docker as unknown as WithPing).ping({ abortSignal: signal })
}

/** How to check that an engine answers while a request to it is pending. */
interface Watch {
  /** Asks it. A refusal is an answer. */
  ask(signal: AbortSignal): Promise<unknown>
  /**
   * The time before each question, in milliseconds.
   *
   * @default 1_000
   */
  readonly pauseMs?: number
  /**
   * How long an answer may take, in milliseconds.
   *
   * @default 10_000
   */
  readonly answerMs?: number
}

/**
 * Does something that may take long for as long as the engine answers other questions.
 *
 * @param act - must give up when its signal is aborted.
 * @throws Fault `silent` when the engine does not answer, or what `act` rejects with.
 */
export async function whileAnswering<Result>(
  act: (signal: AbortSignal) => Promise<Result>,
  { ask, pauseMs = 1_000, answerMs = 10_000 }: Watch,
): Promise<Result> {
  const [over, silence] = [new AbortController(), new AbortController()]
  const watch = async () => {
    while (!silence.signal.aborted) {
      await delay(pauseMs, undefined, { signal: over.signal })
      const limit = AbortSignal.timeout(answerMs)
      await ask(AbortSignal.any([limit, over.signal])).catch((cause: unknown) => {
        if (limit.aborted && !over.signal.aborted) silence.abort(silent(answerMs, cause))
      })
    }
  }
  watch().catch(() => {})
  try {
    return await act(silence.signal)
  } catch (error) {
    throw silence.signal.aborted ? silence.signal.reason : error
  } finally {
    over.abort()
  }
}

function silent(answerMs: number, cause: unknown): Fault {
  const data = { request: 'GET /_ping', limitMs: String(answerMs) }
  return new Fault('silent', `it did not answer within ${answerMs / 1_000} seconds`, { cause, data })
}
