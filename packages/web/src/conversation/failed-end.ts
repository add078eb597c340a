import { describeFailure, withoutSecrets } from '@fenced/agents/internal'
import { FencedError } from '@fenced/core'
import type { ConversationEvent } from '../event.ts'

/** How a turn has ended. */
export type TurnEnd = Omit<Extract<ConversationEvent, { type: 'turn-end' }>, 'type'>

/** Returns the end of a turn that an error has ended. The log is kept and exported, so it has no keys. */
export function failedEnd(error: unknown): TurnEnd {
  const message = describeFailure(error)
  if (!FencedError.isInstance(error)) return { status: 'failed', message }
  const { code, data } = error
  if (data === undefined) return { status: 'failed', code, message }
  const values = Object.entries(data).map(([name, value]) => [name, withoutSecrets(value)])
  return { status: 'failed', code, message, data: Object.fromEntries(values) }
}
