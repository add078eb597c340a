import { inspect } from 'node:util'
import { FencedError } from '@fenced/core'

/** The error for a partner that is no agent of this copy of the package. */
export function notAnAgent(value: unknown): FencedError {
  if ('initiateChat' in Object(value)) {
    const message =
      'This agent belongs to another installed copy of @fenced/agents. Create all agents of a conversation with the same copy.'
    return new FencedError({ code: 'INVALID_OPTIONS', message, data: { package: '@fenced/agents' } })
  }
  const got = inspect(value, { depth: 0 })
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `A ConversableAgent is needed as the partner, such as new AssistantAgent({ name: 'assistant', model }); got ${got}.`,
    data: { value: got },
  })
}
