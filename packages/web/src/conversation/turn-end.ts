import { describeFailure, withoutSecrets } from '@fenced/agents'
import { FencedError } from '@fenced/core'
import type { ConversationEvent } from '../event.ts'

/** How a turn has ended. */
export type TurnEnd = Omit<Extract<ConversationEvent, { type: 'turn-end' }>, 'type'>

interface EndedTurn {
  readonly controller: AbortController
  /** The error of the first event that could not be written. */
  readonly failure?: unknown
}

/** Returns the end of a turn that an error has ended. The log is kept and exported, so it has no keys. */
export function failedEnd({ controller, failure }: EndedTurn, thrown: unknown): TurnEnd {
  if (failure === undefined && controller.signal.aborted) return { status: 'stopped' }
  const error = failure ?? thrown
  const message = describeFailure(error)
  if (!FencedError.isInstance(error)) return { status: 'failed', message }
  const { code, data } = error
  if (data === undefined) return { status: 'failed', code, message }
  const values = Object.entries(data).map(([name, value]) => [name, withoutSecrets(value)])
  return { status: 'failed', code, message, data: Object.fromEntries(values) }
}
