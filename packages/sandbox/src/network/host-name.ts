import { isIP } from 'node:net'

/** A host as a program names it, in the one spelling in which it is compared, resolved and connected to. */
export interface Host {
  /** An `address` is a literal IP address, in any notation. */
  readonly kind: 'name' | 'address'
  /** Lower case, in Punycode, without a final dot; an IPv6 address without brackets. */
  readonly host: string
}

/** Letters of any script, digits and separators; or an IPv6 address in brackets. */
const spelling = /^(?:[\p{L}\p{M}\p{N}._-]+|\[[\da-f:.]+\])$/iu

/**
 * The host that a program means: names are put in lower case and Punycode as browsers do (WHATWG URL), and addresses in every
 * notation (`0x7f.1`, `017700000001`, `2130706433`, `[::ffff:127.0.0.1]`) are put in the canonical form.
 *
 * @returns `undefined` where it is neither a name nor an address.
 */
export function hostOf(text: string): Host | undefined {
  if (text.length > 255 || !spelling.test(text)) return undefined
  const bare = text.endsWith('.') ? text.slice(0, -1) : text
  const { hostname = '' } = URL.parse(`http://${bare}/`) ?? {}
  if (hostname.startsWith('[')) return { kind: 'address', host: unmapped(hostname.slice(1, -1)) }
  if (isIP(hostname) !== 0) return { kind: 'address', host: hostname }
  return hostname.split('.').every(isLabel) ? { kind: 'name', host: hostname } : undefined
}

/** An IPv4 address that is written as an IPv6 one (RFC 4291, 2.5.5.2) as itself. */
export function unmapped(address: string): string {
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(address) ?? []
  if (high === undefined || low === undefined) return address.replace(/^::ffff:(?=\d+\.)/i, '')
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [first >> 8, first & 255, second >> 8, second & 255].join('.')
}

function isLabel(label: string): boolean {
  return label.length <= 63 && /^[a-z\d_](?:[a-z\d_-]*[a-z\d_])?$/.test(label)
}
