import { chmodSync } from 'node:fs'
import { delimiter } from 'node:path'
import type { Notice } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connectEngine } from '../../../src/engine/connect-engine.ts'
import { imageOptionsShape } from '../../../src/image/image-options.ts'
import { provideImage } from '../../../src/image/provide-image.ts'
import { Logins } from '../../../src/image/registry/logins.ts'
import { onSocket, pong } from '../../engine/server.fixture.ts'
import { temporaryFolder } from '../../engine/temporary-folder.fixture.ts'

const annasPassword = Buffer.from('anna:a:b').toString('base64')
const address = 'registry.example.com:5000'

/** An environment with this configuration, and helpers by name: programs of the shell. */
function hostWith(config: unknown, helpers: Record<string, string> = {}) {
  const text = typeof config === 'string' ? config : JSON.stringify(config)
  const scripts = Object.entries(helpers).map(([name, script]) => [
    `docker-credential-${name}`,
    `#!/bin/sh\n${script}\n`,
  ])
  const folder = temporaryFolder(Object.fromEntries(scripts))
  for (const [name] of scripts) chmodSync(`${folder}/${name}`, 0o755)
  const environment = {
    ...process.env,
    DOCKER_CONFIG: temporaryFolder(text === '' ? {} : { 'config.json': text }),
    PATH: `${folder}${delimiter}${process.env.PATH}`,
  }
  return { environment, home: '/nowhere' }
}

async function find(registry: string, config: unknown, helpers?: Record<string, string>) {
  const notices: Notice[] = []
  const context = { signal: new AbortController().signal, notice: (notice: Notice) => notices.push(notice) }
  const found = await new Logins(hostWith(config, helpers), context).find(registry)
  return { ...found, notices }
}

describe('Logins', () => {
  it('finds none where there is none', async () => {
    for (const config of [
      '',
      {},
      { auths: { [address]: {} } },
      { auths: { 'other.example.com': { auth: annasPassword } } },
    ]) {
      expect(await find(address, config)).toEqual({ login: undefined, notices: [] })
    }
  })

  it('reads user and password, whatever form the registry has', async () => {
    const login = { serveraddress: address, username: 'anna', password: 'a:b' }
    for (const key of [address, `https://${address}`, `https://${address}/v1/`]) {
      expect(await find(address, { auths: { [key]: { auth: annasPassword } } })).toMatchObject({ login })
    }
  })

  it('reads tokens', async () => {
    const auths = { [address]: { identitytoken: 'token' } }
    expect(await find(address, { auths })).toMatchObject({ login: { identitytoken: 'token' } })
  })

  it('knows Docker Hub by all its names', async () => {
    const hub = 'https://index.docker.io/v1/'
    for (const name of ['docker.io', 'index.docker.io', 'registry-1.docker.io', hub]) {
      const { login } = await find(name, { auths: { [hub]: { auth: annasPassword } } })
      expect(login).toMatchObject({ serveraddress: hub, username: 'anna' })
    }
  })

  it('asks the helper of the registry before that of all, with the address on stdin', async () => {
    const config = { credsStore: 'all', credHelpers: { [address]: 'one' } }
    const answer = (name: string) =>
      `read -r a; echo "{\\"Username\\":\\"${name}\\",\\"Secret\\":\\"$1 $a\\"}"`
    const helpers = { all: answer('all'), one: answer('one') }
    expect(await find(address, config, helpers)).toMatchObject({
      login: { username: 'one', password: `get ${address}` },
      notices: [],
    })
    expect(await find('docker.io', config, helpers)).toMatchObject({
      login: { username: 'all', password: 'get https://index.docker.io/v1/' },
    })
  })

  it('takes a helper’s token as one', async () => {
    const helpers = { x: 'echo \'{"Username":"<token>","Secret":"t"}\'' }
    const { login } = await find(address, { credsStore: 'x' }, helpers)
    expect(login).toEqual({ serveraddress: address, identitytoken: 't' })
  })

  it('goes to the file when a helper has nothing', async () => {
    const config = { credsStore: 'x', auths: { [address]: { auth: annasPassword } } }
    const helpers = { x: 'echo credentials not found in native keychain; exit 1' }
    expect(await find(address, config, helpers)).toMatchObject({ login: { username: 'anna' }, notices: [] })
  })

  it.each([
    ['is not on the PATH', {}, { reason: 'ENOENT' }],
    [
      'failed with exit code 3',
      { broken: 'echo {"Secret":"hunter2"}; echo hunter2 >&2; exit 3' },
      { exitCode: '3' },
    ],
    ['gave an invalid answer', { broken: 'echo hunter2' }, {}],
    ['gave an answer with wrong types', { broken: `echo '{"Username":1,"Secret":["hunter2"]}'` }, {}],
  ])('says that a helper %s, without a secret, and goes on', async (_, helpers, why) => {
    const { login, problem, notices } = await find(address, { credsStore: 'broken' }, helpers)
    expect(login).toBeUndefined()
    const data = { registry: address, program: 'docker-credential-broken', ...why }
    expect(notices).toEqual([{ code: 'credentials', message: expect.any(String), data }])
    expect(JSON.stringify([problem, notices])).not.toContain('hunter2')
  })

  it('says that the configuration cannot be read, without quoting it', async () => {
    const { login, notices } = await find(address, '{ "auths": hunter2')
    expect(login).toBeUndefined()
    const path = expect.stringMatching(/\/config\.json$/)
    const data = { registry: address, path, reason: 'it is not JSON' }
    expect(notices).toEqual([{ code: 'credentials', message: expect.any(String), data }])
    expect(JSON.stringify(notices)).not.toContain('hunter2')
  })

  it.each([
    { auths: { [address]: { auth: ['hunter2'] } } },
    { auths: [{ auth: 'hunter2' }] },
    { credsStore: { hunter2: true } },
    { credHelpers: { [address]: 7 } },
    null,
  ])('says that the configuration has wrong types, without quoting it: %j', async (config) => {
    const { login, notices } = await find(address, config)
    expect(login).toBeUndefined()
    const data = {
      registry: address,
      path: expect.stringMatching(/\/config\.json$/),
      reason: expect.any(String),
    }
    expect(notices).toEqual([{ code: 'credentials', message: expect.any(String), data }])
    expect(JSON.stringify(notices)).not.toContain('hunter2')
  })

  it('waits for nothing that a helper leaves running', async () => {
    const helpers = { x: 'sleep 1000 & echo \'{"Username":"anna","Secret":"s"}\'' }
    const { login } = await find(address, { credsStore: 'x' }, helpers)
    expect(login).toMatchObject({ username: 'anna', password: 's' })
  })

  it('does not wait for a helper when it is cancelled', async () => {
    const host = hostWith({ credsStore: 'slow' }, { slow: 'exec sleep 1000' })
    const reason = new Error('changed my mind')
    const controller = new AbortController()
    const found = new Logins(host, { signal: controller.signal, notice: () => {} }).find(address)
    setTimeout(() => controller.abort(reason), 50)
    await expect(found).rejects.toBe(reason)
  })

  it('are those of the environment that the engine was looked for in', async () => {
    let sent = ''
    const engineAddress = await onSocket((request, response) => {
      if (request.url === '/_ping') return pong(request, response)
      if (request.method === 'POST') sent = String(request.headers['x-registry-auth'])
      response.writeHead(404).end('{"message":"no such image"}')
    })
    const { environment, home } = hostWith({ auths: { [address]: { auth: annasPassword } } })
    const engine = await connectEngine(engineAddress, { environment, home })
    const settings = {
      ...z.object(imageOptionsShape).parse({ image: `${address}/team/image` }),
      labels: {},
    }
    const context = { signal: new AbortController().signal, notice: () => {} }
    await expect(provideImage(engine, settings, context)).rejects.toMatchObject({ code: 'PULL_FAILED' })
    engine.close()
    expect(JSON.parse(Buffer.from(sent, 'base64').toString())).toMatchObject({
      username: 'anna',
      password: 'a:b',
    })
  })
})
