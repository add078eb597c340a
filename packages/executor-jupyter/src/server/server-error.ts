import { FencedError } from '@fenced/core'
import { errorMessage, errorsIn } from '@fenced/errors'
import { shortened } from '@fenced/errors/text'
import type { ServerAddress } from './server-address.ts'

/** The error for a server that cannot be reached. */
export function unreachable(url: URL, cause: unknown): FencedError {
  const { code, message } = deepest(cause)
  // A connection through a sandbox brings its own message.
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

/** The error for an answer that refuses a request. */
export function refused(
  { url, token }: Pick<ServerAddress, 'url' | 'token'>,
  status: number,
  answer: string,
): FencedError {
  if ((status === 401 || status === 403) && token === '') {
    return new FencedError({
      code: 'JUPYTER_UNAUTHORIZED',
      message: `The Jupyter server at ${url.href} refused a request without a token (${status}). Set \`token\`: "jupyter server list" shows it. A proxy in front of the server may require \`headers\`.`,
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
      message: `The Jupyter server at ${url.href} refused the token (${status}). Set the correct \`token\`: "jupyter server list" shows it.`,
      data: { url: url.href, status: String(status), option: 'token', command: 'jupyter server list' },
    })
  }
  // A server's own faults are in the 500s.
  const said = shortened(answer, 500)
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

/** The error for a kernel that was removed while in use. */
export function kernelGone(url: URL): FencedError {
  return new FencedError({
    code: 'KERNEL_GONE',
    message: `The Jupyter server at ${url.href} no longer has the kernel: another client ended it, or the server was restarted. Call restart() to continue with a new kernel.`,
    data: { url: url.href },
  })
}

function advice(code: string, url: URL): { next: string; option: string } {
  if (/CERT|SIGN|ISSUER|ALTNAME/.test(code)) {
    return {
      next: 'Its certificate is not trusted. Set `caFile` to the certificate of its authority, or `host` to the name in the certificate.',
      option: 'caFile, host',
    }
  }
  if (/SSL|EPROTO|WRONG_VERSION/.test(code))
    return { next: 'Does the server use HTTPS? See `useHttps`.', option: 'useHttps' }
  if (url.protocol === 'https:' && code === 'UND_ERR_CONNECT_TIMEOUT') {
    return { next: 'Is the server running, and does it use HTTPS? See `useHttps`.', option: 'useHttps' }
  }
  if (code === 'ENOTFOUND') return { next: 'Is the name correct?', option: 'host' }
  if (url.protocol === 'http:' && /SOCKET|RESET|PARSER/.test(code))
    return { next: 'Does the server use HTTPS? See `useHttps`.', option: 'useHttps' }
  return {
    next: 'Is it running, and are `host`, `port` and `baseUrl` correct?',
    option: 'host, port, baseUrl',
  }
}

function deepest(error: unknown): { code: string; message: string } {
  const { cause, code = '' } = Object(error) as NodeJS.ErrnoException
  const inner = cause ?? errorsIn(error)[0]
  if (inner !== undefined) return deepest(inner)
  return { code, message: errorMessage(error) }
}

/** The error for callers that wait for a server that is stopped while it starts. */
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

/** Why a managed server did not start, as a part of a sentence: `it did not answer within 100 ms.` */
export class StartFault extends Error {
  readonly data: Readonly<Record<string, string>>

  constructor(message: string, { data, cause }: StartFaultOptions) {
    super(message, { cause })
    this.data = data
  }
}

interface FailedServer {
  /** Identifies the server in a message: `of /usr/bin/python3`. */
  readonly which: string
  /** The values in `which`, by name. */
  readonly values: Readonly<Record<string, string>>
  /** The end of its output. */
  readonly outputTail: string
}

export function startFailed({ which, values, outputTail }: FailedServer, cause: unknown): FencedError {
  const why = errorMessage(cause)
  const isKnown = FencedError.isInstance(cause) || cause instanceof StartFault
  const words = outputTail === '' ? 'It printed nothing.' : `The end of its output:\n${outputTail}`
  return new FencedError({
    code: 'JUPYTER_START_FAILED',
    message: `The Jupyter server ${which} did not start: ${why}\n${words}`,
    data: { ...(isKnown ? cause.data : { reason: why }), ...values, output: outputTail },
    cause,
  })
}
