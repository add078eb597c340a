import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { outputOf } from '@fenced/contract'
import { allowedSockets, rowTags, socketFamiliesProgram } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LocalSandbox, type LocalSandboxOptions } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

const networks: ReadonlyArray<readonly [name: string, network: LocalSandboxOptions['network']]> = [
  ['no network', 'none'],
  ['the network of this machine', 'open'],
  ['a network list', { allowedHosts: ['example.com'] }],
]

describe.skipIf(bubblewrap.missing || python.missing).each(networks)(
  'a program in bubblewrap with %s',
  rowTags({ nightly: ['a network list', { in: 'no network', except: ['makes sockets'] }] }),
  (_, network) => {
    const server = createServer((_, response) => response.end('answer'))
    const sandbox = new LocalSandbox({ isolation: 'bubblewrap', network })
    beforeAll(async () => {
      await sandbox.start()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    })
    afterAll(async () => {
      await sandbox.stop()
      server.close()
    })

    it('makes sockets of the listed families only', async () => {
      const output = await outputOf(sandbox, ['python3', '-c', socketFamiliesProgram])
      expect(JSON.parse(output)).toEqual(allowedSockets)
    })

    it('finds its interfaces, resolves names and connects as before', async () => {
      const found = await outputOf(sandbox, [
        'python3',
        '-c',
        "import socket; print(socket.if_nameindex()[0][1], socket.getaddrinfo('localhost', 80)[0][4][1])",
      ])
      expect(found).toBe('lo 80\n')
      const { port } = server.address() as AddressInfo
      const node = `
const interfaces = require('os').networkInterfaces()
fetch('http://127.0.0.1:${port}').then((answer) => answer.text(), () => 'none').then((text) => console.log('lo' in interfaces, text))`
      const answer = network === 'open' ? 'answer' : 'none'
      expect(await outputOf(sandbox, ['node', '-e', node])).toBe(`true ${answer}\n`)
    })
  },
)
