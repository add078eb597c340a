import { BlockList, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { hostOf, unmapped } from './host-name.ts'
import { addRange, type NetworkListSettings } from './network-options.ts'

/**
 * Addresses that are not public hosts: loopback, private, link-local (with the metadata services of clouds), shared, multicast,
 * reserved, documentation, and IPv6 addresses that contain an IPv4 address (RFC 6890, and IANA's two special-purpose registries).
 */
const specialRanges = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // Metadata and management of Azure, which has the address of a public host.
  '168.63.129.16/32',
  ...['::/96', '::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32'],
  ...['2002::/16', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]

let special: Ranges | undefined

/** Made when it is needed: each import of this module would pay for it. */
function isSpecial(address: string): boolean {
  special ??= rangesOf(specialRanges)
  return isIn(special, address)
}

/** Decides about hosts and addresses by the list. Names are not resolved. */
export class NetworkList {
  readonly #names: ReadonlySet<string>
  /** With the dot that a label ends at: `.example.org`. */
  readonly #suffixes: readonly string[]
  readonly #allowed: Ranges
  readonly #denied: Ranges
  readonly #ports: ReadonlySet<number>

  constructor({ allowedHosts, allowedCIDRs, deniedCIDRs, ports }: NetworkListSettings) {
    const patterns = allowedHosts.map((pattern) => ({
      isSuffix: pattern.startsWith('*.'),
      name: hostOf(pattern.replace(/^\*\./, ''))?.host ?? '',
    }))
    this.#names = new Set(patterns.filter(({ isSuffix }) => !isSuffix).map(({ name }) => name))
    this.#suffixes = patterns.filter(({ isSuffix }) => isSuffix).map(({ name }) => `.${name}`)
    this.#allowed = rangesOf(allowedCIDRs)
    this.#denied = rangesOf(deniedCIDRs)
    this.#ports = new Set(ports)
  }

  /** @param name - a name as {@link hostOf} spells it. */
  hasName(name: string): boolean {
    return this.#names.has(name) || this.#suffixes.some((suffix) => name.endsWith(suffix))
  }

  hasPort(port: number): boolean {
    return this.#ports.has(port)
  }

  /** Whether an address may be reached by its number. */
  hasAddress(address: string): boolean {
    return isIn(this.#allowed, address) && !isIn(this.#denied, address)
  }

  /** Whether it may be reached as what an allowed name resolves to. */
  isReachable(address: string): boolean {
    if (isIn(this.#denied, address)) return false
    return isIn(this.#allowed, address) || !(isSpecial(address) || isOwn(address))
  }
}

/** By family: a `BlockList` finds every IPv4 address in ranges such as `::/0` and `::ffff:0:0/96`. */
type Ranges = Readonly<Record<'ipv4' | 'ipv6', BlockList>>

function rangesOf(ranges: readonly string[]): Ranges {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const range of ranges) addRange(lists[isIPv6(range.split('/')[0] ?? '') ? 'ipv6' : 'ipv4'], range)
  return lists
}

function isIn(ranges: Ranges, address: string): boolean {
  const plain = unmapped(address)
  const family = isIPv6(plain) ? 'ipv6' : 'ipv4'
  return ranges[family].check(plain, family)
}

/** Includes public addresses of this machine: a server may trust local clients. */
function isOwn(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((interfaces = []) => interfaces)
  return own.some((each) => each.address.split('%')[0] === unmapped(address))
}
