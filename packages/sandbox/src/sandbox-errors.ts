import { FencedError } from '@fenced/core'
import type { ProcessEnd } from '@fenced/core/sandbox'

/** Returns the error for a process whose end is unknown; `undefined` for a process that ended. */
export function lossOf(end: ProcessEnd, doing: string): FencedError | undefined {
  if (end.kind !== 'lost') return undefined
  return new FencedError({
    code: end.what === 'sandbox' ? 'SANDBOX_GONE' : 'ENGINE_LOST',
    message: `The ${end.what === 'sandbox' ? 'sandbox' : 'connection to the sandbox'} was lost while ${doing}: ${end.message}`,
    data: { reason: end.message, ...end.data },
  })
}
