// @module-tag all

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputOf } from '@fenced/contract'
import { certificateFile, requirement } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @boundaries-ignore Tests check programs against it; no package exports it.
import { SandboxAuthority } from '../../sandbox/src/network/secrets/authority.ts'
import { LocalSandbox } from '../src/index.ts'
import { bubblewrap } from './requirements.ts'

const git = requirement('git', problemOfGit())
const authority = await SandboxAuthority.create()
const value = 'ghp_0123456789/abcdefghij'
const password = Buffer.from(`x-access-token:${value}`).toString('base64')

/** Where the repositories of the server are. */
let folder = ''
let port = 0
let sandbox: LocalSandbox
/** `Authorization` of each request. */
const received: string[] = []

const server = createServer({ SNICallback: (name, done) => done(null, authority.contextOf(name)) }, serve)

describe.skipIf(bubblewrap.missing || git.missing)(
  'git over https, with a token that it does not have',
  () => {
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
      execFileSync('git', ['init', '-q', '--bare', '--initial-branch=main', join(folder, 'tiny.git')])
      await once(server.listen(0, '127.0.0.1'), 'listening')
      port = (server.address() as AddressInfo).port
      sandbox = new LocalSandbox(
        {
          ...{ isolation: 'bubblewrap', memoryBytes: false, pids: false },
          network: {
            ...{ allowedHosts: ['git.test'], allowedCIDRs: ['127.0.0.1/32'], ports: [port] },
            secrets: { GIT_TOKEN: { value, hosts: [`git.test:${port}`] } },
            caFile: certificateFile(authority.certificate),
          },
        },
        { lookup: async () => ['127.0.0.1'] },
      )
      await sandbox.start()
    })

    afterAll(async () => {
      await sandbox?.stop()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    })

    it('pushes and clones with it as the password of a URL, also more than fits one request', async () => {
      received.length = 0
      const output = await run(`
git init -q --initial-branch=main first && cd first
echo 'from git' > file.txt && head -c 3000000 /dev/urandom > large
git add . && git -c user.name=test -c user.email=test@example.com commit -qm first
git push -q https://x-access-token:$GIT_TOKEN@git.test:${port}/tiny.git main && cd ..
git clone -q https://x-access-token:$GIT_TOKEN@git.test:${port}/tiny.git second
cat second/file.txt && cmp first/large second/large && echo whole`)
      expect(output).toBe('from git\nwhole\n')
      expect(new Set(received)).toEqual(new Set(['', `Basic ${password}`]))
    }, 120_000)

    it('reads with it in a header of its own', async () => {
      received.length = 0
      const output = await run(
        `git -c http.extraHeader="Authorization: Bearer $GIT_TOKEN" ls-remote --heads https://git.test:${port}/tiny.git`,
      )
      expect(output).toMatch(/^[0-9a-f]{40}\trefs\/heads\/main\n$/)
      expect(new Set(received)).toEqual(new Set([`Bearer ${value}`]))
    })

    it('leaves only the placeholder in the configuration of a clone', async () => {
      expect(await run('cat second/.git/config')).toMatch(
        /x-access-token:fenced-secret-[0-9a-f]{32}@git\.test/,
      )
      expect(await run(`grep -rlF "${value.slice(4)}" . ; echo done`)).toBe('done\n')
    })
  },
)

function run(command: string): Promise<string> {
  return outputOf(sandbox, ['/bin/sh', '-c', command])
}

/** Git's own server, for who has the token. */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const { authorization = '' } = request.headers
  received.push(authorization)
  if (authorization !== `Basic ${password}` && authorization !== `Bearer ${value}`) {
    request.resume()
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end()
    return
  }
  const child = spawn('git', ['http-backend'], {
    env: { ...process.env, ...variablesOf(request) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  request.pipe(child.stdin).on('error', () => {})
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => parts.push(part))
  child.once('close', () => {
    const answer = Buffer.concat(parts)
    const end = answer.indexOf('\r\n\r\n')
    const headers = Object.fromEntries(
      answer
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => line.split(': ', 2)),
    )
    response.writeHead(Number.parseInt(headers.Status ?? '200', 10), headers).end(answer.subarray(end + 4))
  })
}

/** The variables that describe a request to a program of a web server (RFC 3875). */
function variablesOf({ url = '', method, headers }: IncomingMessage): Record<string, string | undefined> {
  const { pathname, search } = new URL(url, 'https://git.test')
  return {
    ...{ GIT_PROJECT_ROOT: folder, GIT_HTTP_EXPORT_ALL: '1', REMOTE_USER: 'test' },
    ...{ PATH_INFO: pathname, QUERY_STRING: search.slice(1), REQUEST_METHOD: method },
    ...{ CONTENT_TYPE: headers['content-type'], CONTENT_LENGTH: headers['content-length'] },
    ...{
      HTTP_CONTENT_ENCODING: headers['content-encoding'],
      GIT_PROTOCOL: `${headers['git-protocol'] ?? ''}`,
    },
  }
}

function problemOfGit(): string | undefined {
  try {
    // Answers that it has no request.
    execFileSync('git', ['http-backend'], { stdio: 'ignore' })
    return undefined
  } catch (error) {
    return String(error)
  }
}
