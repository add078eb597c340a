import { errorMessage } from '@fenced/errors'
import type { HostToolFailure } from '../vocabulary/host-tool.ts'

/** Says in a rejection why a call has no output. */
export class CallFailure extends Error {
  readonly kind: HostToolFailure['kind']

  constructor(kind: HostToolFailure['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

export function failureOf(error: unknown): HostToolFailure {
  if (Object(error).name === 'AbortError') return { kind: 'failed', message: 'the block was stopped' }
  const kind = error instanceof CallFailure ? error.kind : 'failed'
  return { kind, message: errorMessage(error) }
}
