import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { expect, it, onTestFinished, vi } from 'vitest'
import { NetworkList } from '../../src/network/network-list.ts'

/** Gives this machine addresses that are public. */
function haveAddresses(...addresses: string[]): void {
  const interfaces = addresses.map((address) => ({ address }) as os.NetworkInterfaceInfo)
  const spy = vi.spyOn(os, 'networkInterfaces').mockReturnValue({ lo: undefined, eth0: interfaces })
  syncBuiltinESMExports()
  onTestFinished(() => {
    spy.mockRestore()
    syncBuiltinESMExports()
  })
}

const nothing = {
  ...{ allowedHosts: [], allowedCIDRs: [], deniedCIDRs: [], ports: [443] },
  ...{ maxConnections: 1, maxBytes: 1 },
}

it('refuses the public addresses of this machine as those of an allowed name', () => {
  haveAddresses('8.8.8.8', '2606:4700::1111%eth0')
  const list = new NetworkList(nothing)
  const addresses = ['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111', '8.8.4.4', '2606:4700::1112']
  expect(addresses.map((address) => list.isReachable(address))).toEqual([false, false, false, true, true])
})

it('takes IPv4 and IPv6 ranges each for addresses of their family', () => {
  const list = new NetworkList({ ...nothing, allowedCIDRs: ['::/0'], deniedCIDRs: ['10.1.0.0/16'] })
  expect(['2001:db8::1', '127.0.0.1', '10.0.0.1'].map((address) => list.hasAddress(address))).toEqual([
    true,
    false,
    false,
  ])
  expect(['8.8.4.4', '::ffff:8.8.4.4', '127.0.0.1'].map((address) => list.isReachable(address))).toEqual([
    true,
    true,
    false,
  ])
})

it('reaches an address of this machine that is allowed, unless it is also denied', () => {
  haveAddresses('8.8.8.8')
  const allowed = { ...nothing, allowedCIDRs: ['8.8.8.0/24'] }
  expect(new NetworkList(allowed).isReachable('8.8.8.8')).toBe(true)
  expect(new NetworkList({ ...allowed, deniedCIDRs: ['8.8.8.8/32'] }).isReachable('8.8.8.8')).toBe(false)
})
