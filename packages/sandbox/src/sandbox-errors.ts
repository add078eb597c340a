import { FencedError } from '@fenced/core'
import type { ProcessEnd } from '@fenced/core/sandbox'

/** The error for a sandbox that is not running. */
export function sandboxNotStarted(): FencedError {
  return new FencedError({
    code: 'SANDBOX_GONE',
    message: 'The sandbox is not running. It was not started, or it was stopped. Call start().',
  })
}

/** The error for `detached` and `resume` in a sandbox that ends with this process. */
export function notResumable(name: string): FencedError {
  return new FencedError({
    code: 'NOT_RESUMABLE',
    message: `A ${name} sandbox ends with the process that created it. Omit \`detached\` and \`resume\`, or choose a sandbox whose \`capabilities.resumable\` is true.`,
    data: { sandbox: name },
  })
}

/** Returns the error for a process whose end is unknown; `undefined` for a process that ended. */
export function lossOf(end: ProcessEnd, doing: string): FencedError | undefined {
  if (end.kind !== 'lost') return undefined
  return new FencedError({
    code: end.what === 'sandbox' ? 'SANDBOX_GONE' : 'ENGINE_LOST',
    message: `The ${end.what === 'sandbox' ? 'sandbox' : 'connection to the sandbox'} was lost while ${doing}: ${end.message}`,
    data: { reason: end.message, ...end.data },
  })
}
