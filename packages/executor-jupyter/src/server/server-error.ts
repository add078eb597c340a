import { FencedError } from '@fenced/core'
import { errorMessage, errorsIn } from '@fenced/core/internal'

/** What went wrong on the way to a server, in words that say what to do. */
export function unreachable(url: URL, cause: unknown): FencedError {
  const { code, message } = deepest(cause)
  // A way that is not a network has words of its own.
  const words = FencedError.isInstance(cause) ? cause.message : `${message}. ${advice(code, url)}`
  return new FencedError({
    code: 'JUPYTER_UNREACHABLE',
    message: `The Jupyter server at ${url.href} could not be reached: ${words}`,
    cause,
  })
}

/** What a server answered, when it was not what was asked for. */
export function refused(url: URL, status: number, answer: string): FencedError {
  if (status === 401 || status === 403) {
    return new FencedError({
      code: 'JUPYTER_UNAUTHORIZED',
      message: `The Jupyter server at ${url.href} refused the token (${status}). Give the right \`token\`: "jupyter server list" shows it.`,
    })
  }
  // A server's own faults are in the 500s.
  const why = status < 500 ? ' Is something else listening there, or is `baseUrl` missing?' : ''
  return new FencedError({
    code: 'JUPYTER_FAILED',
    message: `The Jupyter server at ${url.href} answered ${status}: ${answer.slice(0, 500) || 'nothing'}.${why}`,
  })
}

/** When a kernel was removed that we still use. */
export function kernelGone(url: URL): FencedError {
  return new FencedError({
    code: 'KERNEL_GONE',
    message: `The Jupyter server at ${url.href} does not know the kernel any more: somebody ended it, or the server was started again. Call restart() to go on with a new one.`,
  })
}

function advice(code: string, url: URL): string {
  if (/CERT|SIGN|ISSUER|ALTNAME/.test(code)) {
    return 'Its certificate is not trusted: give the one that signed it as `ca`, or the name that it is made for as `host`.'
  }
  if (/SSL|EPROTO|WRONG_VERSION/.test(code)) return 'Does it speak https? See `useHttps`.'
  if (url.protocol === 'https:' && code === 'UND_ERR_CONNECT_TIMEOUT') {
    return 'Is it running, and does it speak https? See `useHttps`.'
  }
  if (code === 'ENOTFOUND') return 'Is the name right?'
  if (url.protocol === 'http:' && /SOCKET|RESET|PARSER/.test(code))
    return 'Does it speak https? See `useHttps`.'
  return 'Is it running, and are `host`, `port` and `baseUrl` right?'
}

function deepest(error: unknown): { code: string; message: string } {
  const { cause, code = '' } = Object(error) as NodeJS.ErrnoException
  const inner = cause ?? errorsIn(error)[0]
  if (inner !== undefined) return deepest(inner)
  return { code, message: errorMessage(error) }
}

/** What those hear who wait for a server of ours that is stopped while it starts. */
export function stoppedError(): FencedError {
  return new FencedError({
    code: 'JUPYTER_STOPPED',
    message: 'The Jupyter server was stopped while it was starting.',
  })
}

/**
 * @param which - tells the server from others: `of /usr/bin/python3`.
 * @param lastWords - the end of what it wrote.
 */
export function startFailed(which: string, lastWords: string, cause: unknown): FencedError {
  const why = errorMessage(cause)
  const words = lastWords === '' ? 'It wrote nothing.' : `The end of what it wrote:\n${lastWords}`
  return new FencedError({
    code: 'JUPYTER_START_FAILED',
    message: `The Jupyter server ${which} did not start: ${why}\n${words}`,
    cause,
  })
}
