import { FencedError } from '@fenced/errors'

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
