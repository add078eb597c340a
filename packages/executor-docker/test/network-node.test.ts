import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { outputOf } from '@fenced/contract'
import type { NetworkConnection } from '@fenced/core'
import { certificateFile } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @boundaries-ignore Tests check programs against it; no package exports it.
import { SandboxAuthority } from '../../sandbox/src/network/secrets/authority.ts'
import { DockerSandbox } from '../src/index.ts'
import { docker } from './requirements.ts'

const authority = await SandboxAuthority.create()
const received: string[] = []
const handle: RequestListener = (request, response) => {
  received.push(request.headers.authorization ?? '')
  response.end(`answered ${request.headers.host}`)
}
const http = createServer(handle)
const https = createSecureServer(
  { SNICallback: (name, done) => done(null, authority.contextOf(name)) },
  handle,
)
const ports = { http: 0, https: 0 }
let sandbox: DockerSandbox

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Runs a program of Node and returns what it wrote. */
function run(code: string): Promise<string> {
  return outputOf(sandbox, ['node', '--no-warnings', '-e', code])
}

/** This Node, in an image that has neither Python nor certificates. */
describe.skipIf(docker.missing)('a network by list, with Node and without Python', () => {
  beforeAll(async () => {
    Object.assign(ports, { http: await listen(http), https: await listen(https) })
    sandbox = new DockerSandbox(
      {
        image: 'fenced-test/plain',
        volumes: [{ source: process.execPath, target: '/usr/local/bin/node' }],
        network: {
          ...{ allowedHosts: ['api.test'], allowedCIDRs: ['127.0.0.1/32'] },
          ports: [ports.http, ports.https],
          secrets: { API_TOKEN: { value: 'secret-of-this-test', hosts: [`api.test:${ports.https}`] } },
          caFile: certificateFile(authority.certificate),
        },
      },
      { lookup: async () => ['127.0.0.1'] },
    )
    await sandbox.start()
  }, 120_000)

  afterAll(async () => {
    await sandbox?.stop()
    http.close()
    https.close()
  })

  it('reaches the hosts of the list, and no others', async () => {
    const connections: NetworkConnection[] = []
    using _ = sandbox.network?.watch({ onConnection: (connection) => connections.push(connection) })
    const output = await run(`
const get = async (host) => {
  try { console.log(await (await fetch('http://' + host + ':${ports.http}/')).text()) }
  catch ({ cause }) { console.log(cause.cause.message) }
}
get('api.test').then(() => get('other.test'))`)
    expect(output).toBe(`answered api.test:${ports.http}\nProxy response (403) !== 200 when HTTP Tunneling\n`)
    expect(connections.map(({ host, verdict }) => [host, verdict])).toEqual([
      ['api.test', 'allowed'],
      ['other.test', 'refused'],
    ])
  })

  it('reaches nothing around them', async () => {
    const output = await run(`
const { connect } = require('node:net')
const { lookup } = require('node:dns')
connect(${ports.http}, '192.0.2.1').on('connect', () => console.log('reached')).on('error', ({ code }) => console.log(code))
lookup('api.test', (error) => console.log(error ? 'not resolved' : 'resolved'))`)
    expect(output.split('\n').toSorted()).toEqual(['', 'ENETUNREACH', 'not resolved'])
  })

  it('carries large bodies over many connections at once', {
    timeout: 120_000,
  }, async () => {
    const output = await run(`
const get = async () => (await fetch('http://api.test:${ports.http}/', { method: 'POST', body: 'x'.repeat(100_000) })).text()
Promise.all(Array.from({ length: 100 }, get)).then((texts) => console.log(new Set(texts).size, texts.length))`)
    expect(output).toBe('1 100\n')
  })

  it('uses a secret by TLS, and does not have it', async () => {
    received.length = 0
    const output = await run(`
fetch('https://api.test:${ports.https}/', { headers: { Authorization: process.env.API_TOKEN } })
  .then((answer) => console.log(answer.status, process.env.API_TOKEN.slice(0, 14)))`)
    expect(output).toBe('200 fenced-secret-\n')
    expect(received).toEqual(['secret-of-this-test'])
  })
})
