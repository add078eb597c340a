import { FencedError } from '@fenced/core'
import { reportFailure } from '@fenced/shared'
import type { Context } from 'hono'
import { Problem } from '../problem.ts'

const statusOfCode: Readonly<Record<string, 400 | 409 | 507>> = {
  UNKNOWN_APPROVAL: 409,
  INVALID_APPROVAL: 400,
  WORK_DIR_UNUSABLE: 409,
  NO_CHECKPOINT: 409,
  CONVERSATION_NOT_SAVED: 507,
}

/** An error as JSON with a message for a person, with the code and the data of a FencedError. */
export function errorResponse(error: unknown, context: Context): Response {
  if (error instanceof Problem) return context.json({ message: error.message }, error.status)
  if (FencedError.isInstance(error)) {
    const { code, message, data } = error
    return context.json({ code, message, data }, statusOfCode[code] ?? 500)
  }
  // The body of a request ends with an error when its client leaves.
  if (!context.req.raw.signal.aborted) reportFailure(error)
  return context.json({ message: 'The server failed. Its own output shows the cause.' }, 500)
}
