import { BlockList, isIPv6 } from 'node:net'
import type { NetworkAccess } from '@fenced/core'
import type { IsolationParticulars } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import { caFileSchema } from './ca-file.ts'
import { hostOf } from './host-name.ts'

/** {@link NetworkAllowlist}, with every default filled in. */
export type NetworkListSettings = z.output<typeof networkAllowlistSchema>

const cidr = z.string().refine(isCidr, 'must be an address range such as "10.0.0.0/8" or "fd00::/8"')

const defaults = { maxConnections: 256, maxBytes: 10 * 2 ** 30 }

const usualHeaders = [
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'private-token',
  'x-auth-token',
]

const secret = z.strictObject({
  value: z
    .string()
    .regex(/^[\x21-\x7e]{8,4096}$/, 'must be 8 to 4,096 printable ASCII characters, without spaces'),
  hosts: z
    .array(
      z
        .string()
        .refine(isSecretHost, 'must be a name such as "api.example.com", with a port unless it is 443'),
    )
    .min(1),
  headers: z
    .array(z.string().regex(/^[\w-]+$/, 'must be the name of a header'))
    .min(1)
    .default(usualHeaders),
})

/** {@link NetworkAllowlist}. */
export const networkAllowlistSchema = z.strictObject({
  allowedHosts: z
    .array(z.string().refine(isHostPattern, 'must be a name such as "api.example.com", or "*." and a name'))
    .default([]),
  allowedCIDRs: z.array(cidr).default([]),
  deniedCIDRs: z.array(cidr).default([]),
  ports: z.array(z.int().min(1).max(65_535)).min(1).default([80, 443]),
  maxConnections: z.int().min(1).max(4_096).default(defaults.maxConnections),
  maxBytes: z.int().min(1).default(defaults.maxBytes),
  secrets: z.record(z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable'), secret).optional(),
  caFile: caFileSchema.optional(),
})

/** Schema for the `network` option of a sandbox. */
export const networkOptionSchema = z.union([z.enum(['none', 'open']), networkAllowlistSchema])

/** Returns the access that a checked `network` option gives. A network of an engine is open. */
export function networkAccess(network: string | NetworkListSettings): NetworkAccess {
  if (typeof network === 'object') return 'list'
  return network === 'none' ? 'none' : 'open'
}

/** A network by list, as a result reports it with its isolation. Limits and headers are there where they are not the default. */
export function networkParticulars(network: string | NetworkListSettings | undefined): IsolationParticulars {
  if (typeof network !== 'object') return {}
  const { allowedHosts, allowedCIDRs, deniedCIDRs, ports, secrets = {}, maxConnections, maxBytes } = network
  const uses = Object.entries(secrets).map(secretText)
  return {
    allowedHosts: allowedHosts.join(', '),
    ...(allowedCIDRs.length === 0 ? {} : { allowedCIDRs: allowedCIDRs.join(', ') }),
    ...(deniedCIDRs.length === 0 ? {} : { deniedCIDRs: deniedCIDRs.join(', ') }),
    ports: ports.join(', '),
    ...(uses.length === 0 ? {} : { secrets: uses.join('; ') }),
    ...(maxConnections === defaults.maxConnections ? {} : { maxConnections }),
    ...(maxBytes === defaults.maxBytes ? {} : { maxBytes }),
  }
}

/** A secret with its hosts, and with its headers where they are not the usual ones. */
function secretText([name, { hosts, headers }]: [string, z.output<typeof secret>]): string {
  const isUsual = headers.join() === usualHeaders.join()
  return `${name} (${hosts.join(', ')}${isUsual ? '' : ` in ${headers.join(', ')}`})`
}

function isHostPattern(pattern: string): boolean {
  const name = pattern.startsWith('*.') ? pattern.slice(2) : pattern
  return hostOf(name)?.kind === 'name'
}

function isSecretHost(text: string): boolean {
  const [, name = '', port = '443'] = /^(?:https?:\/\/)?([^:/]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  return hostOf(name)?.kind === 'name' && Number(port) >= 1 && Number(port) <= 65_535
}

function isCidr(range: string): boolean {
  try {
    const list = new BlockList()
    addRange(list, range)
    // An IPv4 range in the notation of IPv6 would match no address: addresses are compared as IPv4.
    return !/^::ffff:/i.test(list.rules[0]?.replace(/^.* /, '') ?? '')
  } catch {
    return false
  }
}

/** Adds a range such as `10.0.0.0/8`. @throws where it is none. */
export function addRange(list: BlockList, range: string): void {
  const [address = '', prefix = '', ...rest] = range.split('/')
  if (rest.length > 0 || !/^\d{1,3}$/.test(prefix)) throw new TypeError(`${range} is not an address range`)
  list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4')
}
