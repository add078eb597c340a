// @module-tag all

import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { ServerOptions } from 'node:https'
import { join } from 'node:path'
import type { SecureContextOptions } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { connectEngine } from '../../src/engine/connect-engine.ts'
import type { EngineConnection } from '../../src/engine/connection.ts'
import { Engine } from '../../src/engine.ts'
import { makeCertificates } from './certificates.fixture.ts'
import { dockerCli, openssl } from './requirements.fixture.ts'
import { onSocket, onTlsPort, pong } from './server.fixture.ts'

describe.skipIf(openssl.missing)('TLS', () => {
  it('is spoken with the certificates of the option', async () => {
    const { host, file } = await tlsEngine()
    const own = { certFile: file('cert.pem'), keyFile: file('key.pem') }
    expect(await ask({ host, tls: { caFile: file('ca.pem'), ...own } })).toBe('OK')
    expect(await ask({ host, tls: { verify: false, ...own } })).toBe('OK')
  })

  it('is spoken with new certificates after all files were replaced, also of another authority', async () => {
    const { host, file, folder, replace } = await tlsEngine()
    const tls = { caFile: file('ca.pem'), certFile: file('cert.pem'), keyFile: file('key.pem') }
    await using engine = await Engine.connect({ host, tls }, { environment: {}, home: '/nowhere' })
    const others = makeCertificates()
    replace(serverCertificates(others))
    const { signal } = new AbortController()
    // The connection that it kept has ended, which may be found only now.
    await engine.ping({ signal }).catch(() => {})
    await expect(engine.ping({ signal })).rejects.toMatchObject({
      code: 'ENGINE_LOST',
      data: { fault: 'tls' },
    })
    cpSync(others, folder, { recursive: true })
    await engine.ping({ signal })
  })

  it('is spoken with the certificates of DOCKER_CERT_PATH', async () => {
    const { host, folder } = await tlsEngine()
    const environment = { DOCKER_HOST: host, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder }
    expect(await ask(undefined, environment)).toBe('OK')
  })

  it.skipIf(dockerCli.missing)(
    'is spoken with the certificates that docker’s CLI put into a context',
    async () => {
      const { host, folder, file } = await tlsEngine()
      const own = `cert=${file('cert.pem')},key=${file('key.pem')}`
      const environment = { PATH: process.env.PATH, DOCKER_CONFIG: folder }
      for (const [name, how] of [
        ['safe', `ca=${file('ca.pem')}`],
        ['blind', 'skip-tls-verify=true'],
      ]) {
        const endpoint = `host=${host},${how},${own}`
        execFileSync('docker', ['context', 'create', `${name}`, '--docker', endpoint], {
          env: environment,
          stdio: 'pipe',
        })
        expect(await ask(undefined, { DOCKER_CONFIG: folder, DOCKER_CONTEXT: `${name}` })).toBe('OK')
      }
    },
  )

  it('is refused without a certificate of our own, where the engine wants one', async () => {
    const { host, file } = await tlsEngine()
    expect(await refusal({ host, tls: { caFile: file('ca.pem') } })).toMatchObject({
      fault: 'tls',
      reason: expect.stringContaining('certificate required'),
    })
  })

  it('is refused when nobody vouches for the engine', async () => {
    const { host } = await tlsEngine()
    expect(await refusal({ host, tls: {} })).toMatchObject({
      fault: 'tls',
      reason: expect.stringContaining('certificate'),
    })
  })

  it('is refused when the certificate is that of another host', async () => {
    const { host, file } = await tlsEngine()
    const other = host.replace('127.0.0.1', 'localhost')
    expect(await refusal({ host: other, tls: { caFile: file('ca.pem') } })).toMatchObject({
      fault: 'tls',
      reason: expect.stringContaining('localhost'),
    })
  })

  it('is refused by an engine that speaks none', async () => {
    const server = http.createServer(pong)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    expect(await refusal({ host: `tcp://127.0.0.1:${port}`, tls: {} })).toMatchObject({ fault: 'tls' })
    server.close()
  })

  it('cannot be spoken with files that are missing or are no certificates', async () => {
    const { host, file } = await tlsEngine()
    expect(await refusal({ host, tls: { caFile: '/nowhere/ca.pem' } })).toMatchObject({
      fault: 'tls',
      path: '/nowhere/ca.pem',
      reason: 'ENOENT',
    })
    writeFileSync(file('bad.pem'), 'bad')
    const bad = { certFile: file('bad.pem'), keyFile: file('bad.pem') }
    expect(await refusal({ host, tls: bad })).toMatchObject({ fault: 'tls' })
  })

  it('plays no part on a socket', async () => {
    const DOCKER_HOST = await onSocket(pong)
    expect(await ask(undefined, { DOCKER_HOST, DOCKER_TLS_VERIFY: '1' })).toBe('OK')
  })
})

/** An engine that asks for a certificate, and the folder of the certificates. */
async function tlsEngine() {
  const folder = makeCertificates()
  const file = (name: string) => join(folder, name)
  const { port, replace } = await onTlsPort({
    ...serverCertificates(folder),
    requestCert: true,
    rejectUnauthorized: true,
  } as ServerOptions)
  return { host: `tcp://127.0.0.1:${port}`, folder, file, replace }
}

function serverCertificates(folder: string) {
  const [ca, cert, key] = ['ca.pem', 'server.pem', 'server-key.pem'].map((name) =>
    readFileSync(join(folder, name)),
  )
  return { ca, cert, key } as SecureContextOptions
}

/** Asks through dockerode: what holds for our own ping must hold for everything after it. */
async function ask(connection?: EngineConnection, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const { docker, close } = await connectEngine(connection, { environment, home: '/nowhere' })
  const body = await docker.ping()
  close()
  return String(body)
}

/** The data of the error. */
async function refusal(connection: EngineConnection): Promise<unknown> {
  const error = await ask(connection).catch((reason) => reason)
  expect(error).toMatchObject({ code: 'ENGINE_UNREACHABLE' })
  return error.data
}
