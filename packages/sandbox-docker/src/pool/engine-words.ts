import { FencedError, type Notice } from '@fenced/core'
import type { PooledEngine, PooledEngineState } from './pooled-engine.ts'

/** How an engine is used, for messages. */
export function inWords({ name, health, problem, isDraining, capacity, inUse }: PooledEngineState): string {
  if (health !== 'up') return `${name} does not answer (${problem ?? 'it was not asked yet'})`
  return `${name} has ${inUse} of ${capacity}${isDraining ? ' and takes no new ones (drain)' : ''}`
}

/** The notice for a start that could not use an engine. */
export function skipped({ name, state, problemData }: PooledEngine): Notice {
  return {
    code: 'engine-skipped',
    message: `The pool is skipping the engine ${name} because it does not respond: ${state.problem}`,
    data: { ...problemData, engine: name },
  }
}

export function closedError(): FencedError {
  return new FencedError({
    code: 'POOL_STOPPED',
    message: 'The pool of engines was closed. Create a new pool.',
  })
}
