import type { EngineAccess } from './connect-engine.ts'
import { engineError } from './engine-error.ts'
import { Fault } from './fault.ts'

/** What is done with an engine. */
interface EngineTask {
  /** So that it reads on after "failed while": `starting a container`. */
  readonly doing: string
  /** What may cancel it. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Does something with an engine. Its errors report what was being done, and where.
 *
 * @throws the signal's reason when it is aborted.
 * @throws FencedError `ENGINE_LOST`, `ENGINE_UNREACHABLE`, `DISK_FULL` or `ENGINE_FAILED` for what dockerode throws;
 * FencedErrors and AbortErrors as they are.
 */
export async function withEngineErrors<Result>(
  { endpoint }: Pick<EngineAccess, 'endpoint'>,
  { doing, signal }: EngineTask,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    // What a cancelled request fails with says nothing.
    signal?.throwIfAborted()
    const known = isOverdue(error) ? new Fault('other', 'it did not answer in time', error) : error
    throw engineError(known, doing, endpoint)
  }
}

/** Whether a request of ours was given up because its own time limit had passed. */
function isOverdue(error: unknown): boolean {
  const { name, cause } = Object(error) as { name?: string; cause?: { name?: string } }
  return name === 'TimeoutError' || (name === 'AbortError' && cause?.name === 'TimeoutError')
}
