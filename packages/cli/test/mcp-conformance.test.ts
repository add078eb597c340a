// @module-tag nightly

import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { requirement } from '@fenced/testing'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { anywhere, FencedCommand } from './command.ts'

const directory = mkdtempSync(join(tmpdir(), 'fenced-conformance-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const conformance = requirement('mcp-conformance', install('@modelcontextprotocol/conformance@0.1.16'))

/** Returns why it cannot be installed. */
function install(name: string): string | undefined {
  try {
    const options = { cwd: directory, encoding: 'utf8', stdio: 'pipe', timeout: 300_000 } as const
    execFileSync('npm', ['install', '--prefix', directory, '--no-audit', '--no-fund', name], options)
    return undefined
  } catch (error) {
    return `npm cannot install it: ${error}`
  }
}

/** Starts `fenced mcp --http` behind a proxy that adds its token, which the suite cannot send. */
async function servedWithToken(): Promise<string> {
  const server = new FencedCommand(['mcp', '--http', ...anywhere])
  const { url, token } = JSON.parse(await server.said(/^(.*)\n/))
  const proxy = createServer((incoming, response) => {
    const { method, headers } = incoming
    const outgoing = request(url, { method, headers: { ...headers, authorization: `Bearer ${token}` } })
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(async () => {
    proxy.close()
    proxy.closeAllConnections()
    server.child.kill('SIGTERM')
    await server.ended
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`
}

describe.skipIf(conformance.missing)('the conformance suite of the protocol', () => {
  // The other scenarios call tools, resources and prompts of a test server.
  it('finds nothing wrong with `fenced mcp --http`', { timeout: 300_000 }, async () => {
    const url = await servedWithToken()
    const program = join(directory, 'node_modules/.bin/conformance')
    const scenarios = [
      'server-initialize',
      'ping',
      'tools-list',
      'resources-list',
      'dns-rebinding-protection',
    ]
    for (const scenario of scenarios) {
      const args = [program, 'server', '--url', url, '--scenario', scenario]
      const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 })
      expect(stdout, scenario).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/)
    }
  })
})
