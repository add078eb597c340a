import { setTimeout as delay } from 'node:timers/promises'
import type Docker from 'dockerode'
import { EngineAnswerError } from '../engine/engine-answer.ts'

/** Interval between questions to the engine about a process, and time limit for its start, in milliseconds. */
const [everyMs, limitMs] = [10, 10_000]

/**
 * Processes that an engine may still be starting in a container. An engine answers before it has started a process, and hangs when it
 * pauses the container meanwhile: what starts the process is then paused, too, and what waits for it blocks the end of the pause.
 */
export class StartingExecs {
  readonly #execs = new Map<Docker.Exec, Promise<unknown>>()

  /** Adds a process that is being started. */
  add<Result>(exec: Docker.Exec, starting: Promise<Result>): Promise<Result> {
    this.#execs.set(
      exec,
      starting.catch(() => this.delete(exec)),
    )
    return starting
  }

  /** The process has ended. */
  delete(exec: Docker.Exec): void {
    this.#execs.delete(exec)
  }

  /** Resolves when all of them have started. @throws what the engine answers; an error if it takes too long. */
  async started(): Promise<void> {
    await Promise.all([...this.#execs].map(([exec, starting]) => this.#started(exec, starting)))
  }

  async #started(exec: Docker.Exec, starting: Promise<unknown>): Promise<void> {
    await starting
    const abortSignal = AbortSignal.timeout(limitMs)
    while (this.#execs.has(exec) && (await isStarting(exec, abortSignal)))
      await delay(everyMs, undefined, { signal: abortSignal })
    this.#execs.delete(exec)
  }
}

async function isStarting(exec: Docker.Exec, abortSignal: AbortSignal): Promise<boolean> {
  try {
    const { Running, Pid } = await exec.inspect({ abortSignal })
    return Running && Pid === 0
  } catch (error) {
    // Some engines forget a process that has ended.
    if (error instanceof EngineAnswerError && error.statusCode === 404) return false
    throw error
  }
}
