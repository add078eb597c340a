import { chmodSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectEngine } from '../../src/engine/connect-engine.ts'
import type { EngineConnection } from '../../src/engine/connection.ts'
import type { ConnectOptions } from '../../src/engine/host-environment.ts'
import { dockerEngine, dockerHost } from './requirements.fixture.ts'
import { acceptsOnSocket, onSocket, pong } from './server.fixture.ts'
import { temporaryFolder } from './temporary-folder.fixture.ts'

/** A host on which nothing is configured. */
const bare = { environment: {}, home: '/nowhere', platform: 'linux', userId: undefined } as const

function connect(connection?: EngineConnection, options: ConnectOptions = {}) {
  return connectEngine(connection, { ...bare, ...options })
}

/** The data of the error. */
async function refusal(connection?: EngineConnection, options?: ConnectOptions): Promise<unknown> {
  const error = await connect(connection, options).then(
    ({ endpoint }) => new Error(`${endpoint.address} answered`),
    (reason) => reason,
  )
  expect(error).toMatchObject({ name: 'FencedError', code: 'ENGINE_UNREACHABLE' })
  return error.data
}

describe.skipIf(dockerEngine.missing)('a real engine', () => {
  it('is connected to, and says who it is', async () => {
    const { docker, endpoint, info, close } = await connect(undefined, {
      environment: { DOCKER_HOST: dockerHost },
    })
    expect(endpoint).toMatchObject({ address: dockerHost, origin: 'DOCKER_HOST', isLocal: true })
    const version = await docker.version()
    expect(info).toMatchObject({ apiVersion: version.ApiVersion, osType: version.Os })
    close()
  })

  it.each(['tcp://192.0.2.1:1', 'tcp://['])(
    'is the one that was named, although DOCKER_HOST is %s',
    async (other) => {
      process.env.DOCKER_HOST = other
      process.env.DOCKER_CERT_PATH = '/nowhere'
      try {
        const { docker, close } = await connectEngine(dockerHost)
        expect((await docker.version()).ApiVersion).toMatch(/\d/)
        close()
      } finally {
        process.env.DOCKER_HOST = dockerHost
        delete process.env.DOCKER_CERT_PATH
      }
    },
  )
})

it('is connected to without a change of any variable, which a worker thread could see', async () => {
  const address = await onSocket(pong)
  const changes: string[] = []
  const { env } = process
  process.env = new Proxy(
    { ...env, DOCKER_HOST: 'tcp://[' },
    {
      set: (_, name) => changes.push(`set ${String(name)}`) > 0,
      deleteProperty: (_, name) => changes.push(`delete ${String(name)}`) > 0,
    },
  )
  try {
    const { close } = await connectEngine(address)
    close()
  } finally {
    process.env = env
  }
  expect(changes).toEqual([])
})

describe('an engine that cannot be used', () => {
  it('is no such socket', async () => {
    expect(await refusal('/nowhere/docker.sock')).toEqual({
      engine: 'unix:///nowhere/docker.sock',
      origin: 'the `docker` option',
      fault: 'absent',
      command: 'docker --host unix:///nowhere/docker.sock version',
    })
  })

  it('has a socket on which nobody listens', async () => {
    const folder = temporaryFolder({ 'docker.sock': '' })
    expect(await refusal(join(folder, 'docker.sock'))).toMatchObject({ fault: 'dead' })
  })

  it('is one that this user may not use', async () => {
    const address = await onSocket(pong)
    chmodSync(address.replace('unix://', ''), 0)
    expect(await asNobody(() => refusal(address))).toMatchObject({
      fault: 'denied',
      command: 'sudo usermod -aG docker $USER',
    })
  })

  it('takes the connection and never answers', async () => {
    const address = await acceptsOnSocket(() => {})
    expect(await refusal(address, { timeoutMs: 100 })).toMatchObject({ fault: 'silent', limitMs: '100' })
  })

  it('begins an answer and never ends it', async () => {
    const address = await onSocket((_request, response) => void response.write('O'))
    expect(await refusal(address, { timeoutMs: 100 })).toMatchObject({ fault: 'silent', limitMs: '100' })
  })

  it('closes the connection', async () => {
    expect(await refusal(await acceptsOnSocket((socket) => socket.end()))).toMatchObject({ fault: 'closed' })
  })

  it.each([
    ['does not speak HTTP', 'SSH-2.0-OpenSSH\r\n'],
    ['says nothing about its API', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK'],
    ['says nonsense about its API', 'HTTP/1.1 200 OK\r\nApi-Version: new\r\nContent-Length: 2\r\n\r\nOK'],
  ])('%s', async (_what, answer) => {
    const address = await acceptsOnSocket((socket) => socket.once('data', () => socket.end(answer)))
    expect(await refusal(address)).toMatchObject({ fault: 'not-an-engine' })
  })

  it('answers with an error', async () => {
    const address = await onSocket((_request, response) =>
      response.writeHead(500).end('the disk\nis on fire'),
    )
    expect(await refusal(address)).toMatchObject({
      fault: 'status',
      status: '500',
      reason: 'the disk is on fire',
    })
  })

  it('wants TLS', async () => {
    const address = await onSocket((_request, response) =>
      response.writeHead(400).end('Client sent an HTTP request to an HTTPS server.'),
    )
    expect(await refusal(address)).toMatchObject({ fault: 'tls' })
  })

  it.each(['1.20', '1.39'])('is too old with API %s', async (version) => {
    const address = await onSocket((_request, response) =>
      response.setHeader('Api-Version', version).end('OK'),
    )
    expect(await refusal(address)).toMatchObject({
      fault: 'too-old',
      apiVersion: version,
      needed: '1.40',
    })
  })

  it('is on a port where nobody listens', async () => {
    expect(await refusal(undefined, { environment: { DOCKER_HOST: 'tcp://localhost:1' } })).toEqual({
      engine: 'tcp://localhost:1',
      origin: 'DOCKER_HOST',
      fault: 'dead',
      command: 'docker --host tcp://localhost:1 version',
    })
  })

  it('has a name that nobody knows', async () => {
    expect(await refusal('tcp://engine.invalid:1')).toMatchObject({ fault: 'unknown-host' })
  })

  it('is never replaced by another one', async () => {
    const answering = await onSocket(pong)
    const environment = { DOCKER_HOST: answering }
    expect(await refusal('/nowhere/docker.sock', { environment })).toMatchObject({
      engine: 'unix:///nowhere/docker.sock',
      fault: 'absent',
    })
  })
})

// Where there is a default socket, its engine answers first.
describe.skipIf(existsSync('/var/run/docker.sock'))('looking for an engine', () => {
  it('takes the first known socket that answers', async () => {
    const folder = dirname((await onSocket(pong)).replace('unix://', ''))
    const environment = {
      COLIMA_HOME: temporaryFolder({ 'default/docker.sock': '' }),
      XDG_RUNTIME_DIR: folder,
    }
    const { endpoint, close } = await connect(undefined, { environment })
    expect(endpoint.origin).toBe('the rootless socket')
    close()
  })

  it('in vain is an error with every address that was tried, and the command to type', async () => {
    const runtime = temporaryFolder({ 'docker.sock': '' })
    const data = await refusal(undefined, { environment: { XDG_RUNTIME_DIR: runtime } })
    const { engine, fault, command } = data as Record<string, string>
    const faults = fault?.split(', ')
    const tried = engine?.split(', ').map((address, index) => [address, faults?.[index]])
    expect(tried).toContainEqual([`unix://${runtime}/docker.sock`, 'dead'])
    expect(tried).toContainEqual(['unix:///nowhere/.docker/desktop/docker.sock', 'absent'])
    expect(command).toBe('systemctl --user start docker')
  })
})

describe('a signal', () => {
  it('ends the wait for an answer', async () => {
    const stop = new AbortController()
    const address = await acceptsOnSocket(() => stop.abort(new Error('enough')))
    await expect(connect(address, { signal: stop.signal })).rejects.toThrow('enough')
  })

  it('that was given before prevents everything', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(connect(undefined, { signal })).rejects.toThrow('enough')
  })
})

/** Permissions do not bind root. */
async function asNobody<Result>(act: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return act()
  process.seteuid?.(65534)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}
