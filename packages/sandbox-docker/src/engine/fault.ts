import { errorsIn } from '@fenced/errors'
import type { Endpoint } from './endpoint.ts'

/** What kind of thing is wrong with an address: the `fault` in the data of errors. */
export type FaultKind =
  | 'absent'
  | 'dead'
  | 'denied'
  | 'tls'
  | 'silent'
  | 'closed'
  | 'unknown-host'
  | 'no-route'
  | 'not-an-engine'
  | 'too-old'
  | 'status'
  | 'ssh'
  | 'other'

interface FaultOptions extends ErrorOptions {
  /** The values in the message, by name. */
  readonly data?: Readonly<Record<string, string>>
}

/** Why an address cannot be used, in words that follow `<address>: `. */
export class Fault extends Error {
  readonly kind: FaultKind
  readonly data: Readonly<Record<string, string>>

  constructor(kind: FaultKind, message: string, { cause, data = {} }: FaultOptions = {}) {
    super(message, { cause })
    this.name = 'Fault'
    this.kind = kind
    this.data = data
  }
}

/** An address that cannot be used, and why. */
export interface Failure {
  readonly endpoint: Endpoint
  readonly fault: Fault
}

const known: Readonly<Record<string, readonly [kind: FaultKind, words: string]>> = {
  ENOENT: ['absent', 'no such socket'],
  ECONNREFUSED: ['dead', 'connection refused'],
  EACCES: ['denied', 'permission denied for this user'],
  EPERM: ['denied', 'permission denied for this user'],
  ENOTFOUND: ['unknown-host', 'host name not found'],
  EAI_AGAIN: ['unknown-host', 'host name not found (the name server does not answer)'],
  EHOSTUNREACH: ['no-route', 'there is no route to that host'],
  ENETUNREACH: ['no-route', 'there is no route to that host'],
  ETIMEDOUT: ['silent', 'timed out'],
  ECONNRESET: ['closed', 'it closed the connection without an answer'],
  EPIPE: ['closed', 'it closed the connection without an answer'],
}

/** Puts what Node throws while it connects into words. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  // A name with several addresses: the reasons are alike.
  const [first] = errorsIn(error)
  if (first !== undefined) return faultOf(first)
  const { code = '', message, reason = message } = error as NodeJS.ErrnoException & { reason?: string }
  const [kind, words] = known[code] ?? []
  if (kind !== undefined && words !== undefined) return new Fault(kind, words, { cause: error })
  if (code.startsWith('HPE_')) return notAnEngine(error)
  // OpenSSL's messages have our answer in `reason`.
  if (isOfTls(code)) {
    return new Fault('tls', `TLS refused: ${reason}`, { cause: error, data: { reason } })
  }
  return new Fault('other', message, { cause: error, data: { reason: message } })
}

/** Whether a code says that the two sides do not trust each other. Those for certificates are OpenSSL's names, without a common prefix. */
export function isOfTls(code: string): boolean {
  return /^(ERR_SSL|ERR_TLS|ERR_OSSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/.test(code)
}

export function notAnEngine(cause?: unknown): Fault {
  return new Fault('not-an-engine', 'it responds, but is not a Docker engine', { cause })
}
