import { FencedError } from '@fenced/core'
import { errorMessage, errorsIn } from '@fenced/core/internal'
import type { ServerAddress } from './server-address.ts'

/** What went wrong on the way to a server, in words that say what to do. */
export function unreachable(url: URL, cause: unknown): FencedError {
  const { code, message } = deepest(cause)
  // A way that is not a network has words of its own.
  const isKnown = FencedError.isInstance(cause)
  const { next, option } = advice(code, url)
  const words = isKnown ? cause.message : `${message}. ${next}`
  return new FencedError({
    code: 'JUPYTER_UNREACHABLE',
    message: `The Jupyter server at ${url.href} could not be reached: ${words}`,
    data: { ...(isKnown ? cause.data : { reason: code || message, option }), url: url.href },
    cause,
  })
}

/** What a server answered, when it was not what was asked for. */
export function refused(
  { url, token }: Pick<ServerAddress, 'url' | 'token'>,
  status: number,
  answer: string,
): FencedError {
  if ((status === 401 || status === 403) && token === '') {
    return new FencedError({
      code: 'JUPYTER_UNAUTHORIZED',
      message: `The Jupyter server at ${url.href} refused a request without a token (${status}). Set \`token\`: "jupyter server list" shows it. A proxy in front of the server can need \`headers\`.`,
      data: {
        url: url.href,
        status: String(status),
        option: 'token, headers',
        command: 'jupyter server list',
      },
    })
  }
  if (status === 401 || status === 403) {
    return new FencedError({
      code: 'JUPYTER_UNAUTHORIZED',
      message: `The Jupyter server at ${url.href} refused the token (${status}). Give the right \`token\`: "jupyter server list" shows it.`,
      data: { url: url.href, status: String(status), option: 'token', command: 'jupyter server list' },
    })
  }
  // A server's own faults are in the 500s.
  const said = answer.slice(0, 500)
  const why = status < 500 ? ' Is something else listening there, or is `baseUrl` missing?' : ''
  return new FencedError({
    code: 'JUPYTER_FAILED',
    message: `The Jupyter server at ${url.href} answered ${status}: ${said || 'nothing'}.${why}`,
    data: {
      ...{ url: url.href, status: String(status), answer: said },
      ...(status < 500 ? { option: 'baseUrl' } : {}),
    },
  })
}

/** When a kernel was removed that we still use. */
export function kernelGone(url: URL): FencedError {
  return new FencedError({
    code: 'KERNEL_GONE',
    message: `The Jupyter server at ${url.href} does not know the kernel any more: somebody ended it, or the server was started again. Call restart() to go on with a new one.`,
    data: { url: url.href },
  })
}

/** What to do next, and the option that it is about. */
function advice(code: string, url: URL): { next: string; option: string } {
  if (/CERT|SIGN|ISSUER|ALTNAME/.test(code)) {
    return {
      next: 'Its certificate is not trusted: give the one that signed it as `ca`, or the name that it is made for as `host`.',
      option: 'ca, host',
    }
  }
  if (/SSL|EPROTO|WRONG_VERSION/.test(code))
    return { next: 'Does it speak https? See `useHttps`.', option: 'useHttps' }
  if (url.protocol === 'https:' && code === 'UND_ERR_CONNECT_TIMEOUT') {
    return { next: 'Is it running, and does it speak https? See `useHttps`.', option: 'useHttps' }
  }
  if (code === 'ENOTFOUND') return { next: 'Is the name right?', option: 'host' }
  if (url.protocol === 'http:' && /SOCKET|RESET|PARSER/.test(code))
    return { next: 'Does it speak https? See `useHttps`.', option: 'useHttps' }
  return {
    next: 'Is it running, and are `host`, `port` and `baseUrl` right?',
    option: 'host, port, baseUrl',
  }
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

interface StartFaultOptions extends ErrorOptions {
  /** The values in the message, by name. */
  readonly data: Readonly<Record<string, string>>
}

/** Why a server of ours did not start, as a part of a sentence: `it did not answer within 100 ms.` */
export class StartFault extends Error {
  readonly data: Readonly<Record<string, string>>

  constructor(message: string, { data, cause }: StartFaultOptions) {
    super(message, { cause })
    this.data = data
  }
}

interface FailedServer {
  /** Tells the server from others: `of /usr/bin/python3`. */
  readonly which: string
  /** The values in `which`, by name. */
  readonly values: Readonly<Record<string, string>>
  /** The end of what it wrote. */
  readonly lastWords: string
}

export function startFailed({ which, values, lastWords }: FailedServer, cause: unknown): FencedError {
  const why = errorMessage(cause)
  const isKnown = FencedError.isInstance(cause) || cause instanceof StartFault
  const words = lastWords === '' ? 'It wrote nothing.' : `The end of what it wrote:\n${lastWords}`
  return new FencedError({
    code: 'JUPYTER_START_FAILED',
    message: `The Jupyter server ${which} did not start: ${why}\n${words}`,
    data: { ...(isKnown ? cause.data : { reason: why }), ...values, output: lastWords },
    cause,
  })
}
