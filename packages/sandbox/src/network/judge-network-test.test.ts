import { expect, it } from 'vitest'
import { ListedNetwork } from './listed-network.ts'

const refused = 'HTTP/1.1 403 Forbidden'

it.each([
  ['no route and a proxy that refuses', { exitCode: 0, output: `\n${refused}\n` }, false],
  ['a route that something else closes', { exitCode: 0, output: `192.0.2.1\n${refused}\n` }, true],
])('a network is closed with %s', (_, said, hasRoutes) => {
  expect(() => ListedNetwork.judgeTest(said, hasRoutes)).not.toThrow()
})

it.each([
  ['a route around the proxy', { exitCode: 0, output: `192.0.2.1\n${refused}\n` }, 'NETWORK_NOT_CLOSED'],
  ['a proxy that lets anything pass', { exitCode: 0, output: '\nHTTP/1.1 200 OK\n' }, 'NETWORK_NOT_CLOSED'],
  ['an answer of something else', { exitCode: 0, output: '\nSSH-2.0\n' }, 'NETWORK_HELPER_FAILED'],
  ['a test that failed', { exitCode: 1, output: `\n${refused}\n` }, 'NETWORK_HELPER_FAILED'],
])('a network is refused with %s', (_, said, code) => {
  expect(() => ListedNetwork.judgeTest(said, false)).toThrow(expect.objectContaining({ code }))
})
