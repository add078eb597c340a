import type { Engine } from './connect-engine.ts'
import { engineError } from './engine-error.ts'
import { Fault } from './fault.ts'

/**
 * Does something with an engine, and says of what goes wrong there what was being done, and where.
 *
 * @param doing - so that it reads on after "failed while": `starting a container`.
 * @throws FencedError `ENGINE_LOST`, `ENGINE_UNREACHABLE`, `DISK_FULL` or `ENGINE_FAILED` for what dockerode throws;
 * FencedErrors and AbortErrors as they are.
 */
export async function whileDoing<Result>(
  { endpoint }: Pick<Engine, 'endpoint'>,
  doing: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    const known = isOverdue(error) ? new Fault('other', 'it did not answer in time', error) : error
    throw engineError(known, doing, endpoint)
  }
}

/** Whether a request of ours was given up because its own time limit had passed. */
function isOverdue(error: unknown): boolean {
  const { name, cause } = Object(error) as { name?: string; cause?: { name?: string } }
  return name === 'TimeoutError' || (name === 'AbortError' && cause?.name === 'TimeoutError')
}
