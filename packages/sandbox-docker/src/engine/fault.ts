import { errorsIn } from '@fenced/core/internal'
/** What kind of thing is wrong with an address, as far as the advice differs. */
export type FaultKind = 'absent' | 'dead' | 'denied' | 'tls' | 'other'

/** Why an address cannot be used, in words that follow `<address>: `. */
export class Fault extends Error {
  readonly kind: FaultKind

  constructor(kind: FaultKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'Fault'
    this.kind = kind
  }
}

const known: Readonly<Record<string, readonly [kind: FaultKind, words: string]>> = {
  ENOENT: ['absent', 'no such socket'],
  ECONNREFUSED: ['dead', 'nobody listens on it'],
  EACCES: ['denied', 'permission denied for this user'],
  EPERM: ['denied', 'permission denied for this user'],
  ENOTFOUND: ['other', 'host name not found'],
  EAI_AGAIN: ['other', 'host name not found (the name server does not answer)'],
  EHOSTUNREACH: ['other', 'there is no way to that host'],
  ENETUNREACH: ['other', 'there is no way to that host'],
  ETIMEDOUT: ['other', 'timed out'],
  ECONNRESET: ['other', 'it closed the connection without an answer'],
  EPIPE: ['other', 'it closed the connection without an answer'],
}

/** Puts what Node throws while it connects into words. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  // A name with several addresses: the reasons are alike.
  const [first] = errorsIn(error)
  if (first !== undefined) return faultOf(first)
  const { code = '', message, reason = message } = error as NodeJS.ErrnoException & { reason?: string }
  const [kind, words] = known[code] ?? []
  if (kind !== undefined && words !== undefined) return new Fault(kind, words, error)
  if (code.startsWith('HPE_')) return notAnEngine(error)
  // The codes for certificates are OpenSSL's names, without a common prefix; its messages have our answer in `reason`.
  if (/^(ERR_SSL|ERR_TLS|ERR_OSSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/.test(code)) {
    return new Fault('tls', `TLS refused: ${reason}`, error)
  }
  return new Fault('other', message, error)
}

export function notAnEngine(cause?: unknown): Fault {
  return new Fault('other', 'it answers, but is no Docker engine', cause)
}
