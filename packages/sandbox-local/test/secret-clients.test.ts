// @module-tag all

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { outputOf } from '@fenced/contract'
import { certificateFile, requirement } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @boundaries-ignore Tests check programs against it; no package exports it.
import { SandboxAuthority } from '../../sandbox/src/network/secrets/authority.ts'
import { LocalSandbox } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

const value = 'secret-of-this-test'
const curl = requirement('curl', problemOf('curl'))
const node = requirement('node-24', process.versions.node >= '24' ? undefined : 'this Node is older')
const authority = await SandboxAuthority.create()
const received: (string | undefined)[] = []
const server = createServer(
  { SNICallback: (name, done) => done(null, authority.contextOf(name)) },
  (request, response) => {
    received.push(request.headers.authorization)
    response.end(`Hello, ${request.headers.authorization}`)
  },
)
let sandbox: LocalSandbox
let port = 0

function problemOf(program: string): string | undefined {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return undefined
  } catch (error) {
    return String(error)
  }
}

/** Runs a client to which nothing is said about proxies, certificates or secrets. */
function run(...command: [string, ...string[]]): Promise<string> {
  return outputOf(sandbox, command)
}

describe.skipIf(bubblewrap.missing || python.missing)('clients, with a secret', () => {
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
    const list = { allowedHosts: ['api.test'], allowedCIDRs: ['127.0.0.1/32'], ports: [port] }
    const secrets = { API_TOKEN: { value, hosts: [`api.test:${port}`] } }
    sandbox = new LocalSandbox(
      {
        ...{ isolation: 'bubblewrap', memoryBytes: false, pids: false },
        network: { ...list, secrets, caFile: certificateFile(authority.certificate) },
      },
      { lookup: async () => ['127.0.0.1'] },
    )
    await sandbox.start()
  })

  afterAll(async () => {
    await sandbox?.stop()
    server.close()
  })

  async function expectUsed(...command: [string, ...string[]]): Promise<void> {
    received.length = 0
    expect(await run(...command)).toBe(`Hello, Bearer ${'*'.repeat(value.length)}`)
    expect(received).toEqual([`Bearer ${value}`])
  }

  it.skipIf(curl.missing)('curl', async () => {
    const command = `curl -sS -H "Authorization: Bearer $API_TOKEN" https://api.test:${port}/`
    await expectUsed('/bin/sh', '-c', command)
  })

  it('requests of Python, as pip brings it', async () => {
    const code = `
import os
from pip._vendor import requests
headers = {"Authorization": "Bearer " + os.environ["API_TOKEN"]}
print(requests.get("https://api.test:${port}/", headers=headers).text, end="")`
    await expectUsed('/usr/bin/python3', '-c', code)
  })

  it.skipIf(node.missing)('fetch of Node', async () => {
    const program = (await sandbox.which(['node'])).get('node') as string
    const code = `
fetch("https://api.test:${port}/", { headers: { Authorization: "Bearer " + process.env.API_TOKEN } })
  .then((answer) => answer.text())
  .then((text) => process.stdout.write(text))`
    await expectUsed(program, '--no-warnings', '-e', code)
  })

  it('leaves nothing behind', async () => {
    const bundle = await run('/bin/sh', '-c', 'printf %s "$SSL_CERT_FILE"')
    expect(existsSync(bundle)).toBe(true)
    await sandbox.stop()
    expect(existsSync(bundle)).toBe(false)
  })
})
