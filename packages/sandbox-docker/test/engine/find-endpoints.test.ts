import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { EngineConnection } from '../../src/engine/connection.ts'
import { findEndpoints } from '../../src/engine/find-endpoints.ts'
import { dockerCli } from './requirements.fixture.ts'
import { temporaryFolder } from './temporary-folder.fixture.ts'

interface Host {
  home?: string
  environment?: Record<string, string>
  platform?: NodeJS.Platform
}

function find(
  connection: EngineConnection | undefined,
  { home = '/nowhere', environment = {}, platform = 'linux' }: Host = {},
) {
  return findEndpoints(connection, { environment, home, platform, userId: 1000 })
}

async function addresses(connection?: EngineConnection, host?: Host): Promise<string[]> {
  return (await find(connection, host)).endpoints.map(({ address }) => address)
}

describe('which engine is meant', () => {
  it('is the option, whatever the environment says', async () => {
    const environment = { DOCKER_HOST: 'tcp://other:1', DOCKER_CONTEXT: 'other', DOCKER_TLS_VERIFY: '1' }
    const { endpoints, named } = await find('/run/mine.sock', { environment })
    expect(named).toBe(true)
    expect(endpoints).toEqual([
      { address: 'unix:///run/mine.sock', origin: 'the `docker` option', isLocal: true },
    ])
  })

  it('is what DOCKER_HOST or the default is, with the option { context: "default" }', async () => {
    const home = temporaryFolder({ '.docker/config.json': '{"currentContext":"other"}' })
    expect(await addresses({ context: 'default' }, { home })).toEqual(['unix:///var/run/docker.sock'])
    const environment = { DOCKER_HOST: 'tcp://a:1', DOCKER_CONTEXT: 'other' }
    expect(await addresses({ context: 'default' }, { home, environment })).toEqual(['tcp://a:1'])
  })

  it('is this machine for a socket or an address of the loopback only', ({ everyRow }) =>
    everyRow(
      [
        ['unix:///run/docker.sock', true],
        ['npipe://', true],
        ['tcp://localhost:1', true],
        ['tcp://127.0.0.7:1', true],
        ['tcp://[::1]:1', true],
        ['tcp://10.0.0.1:1', false],
        ['tcp://localhost.example.org:1', false],
        ['ssh://localhost', false],
      ],
      async (address, isLocal) => {
        expect((await find(address)).endpoints[0]?.isLocal).toBe(isLocal)
      },
    ))

  it('is any of the known sockets when nobody says anything', async () => {
    const environment = { XDG_RUNTIME_DIR: '/run/user/1000' }
    const { endpoints, named } = await find(undefined, { home: '/home/me', environment })
    expect(named).toBe(false)
    expect(endpoints.map(({ address }) => address.replace('unix://', ''))).toEqual([
      '/var/run/docker.sock',
      '/run/user/1000/docker.sock',
      '/home/me/.docker/run/docker.sock',
      '/home/me/.docker/desktop/docker.sock',
      '/home/me/.colima/default/docker.sock',
      '/home/me/.config/colima/default/docker.sock',
      '/home/me/.rd/docker.sock',
      '/run/user/1000/podman/podman.sock',
      '/run/podman/podman.sock',
    ])
    expect((await addresses(undefined, { platform: 'win32' }))[0]).toBe('npipe:////./pipe/docker_engine')
    expect(await addresses(undefined, { platform: 'darwin', home: '/Users/me' })).toContain(
      'unix:///Users/me/.orbstack/run/docker.sock',
    )
  })
})

describe('TLS from the environment', () => {
  const DOCKER_HOST = 'tcp://a:1'
  it.each([
    [{}, undefined],
    [{ DOCKER_TLS: '1' }, { verify: false }],
    [{ DOCKER_TLS_VERIFY: '1' }, { verify: true }],
    [{ DOCKER_TLS_VERIFY: '0' }, { verify: true }],
  ])('%j', async (variables, expected) => {
    const folder = temporaryFolder({ 'cert.pem': '', 'key.pem': '' })
    const environment = { ...variables, DOCKER_HOST, DOCKER_CERT_PATH: folder }
    const { tls } = (await find(undefined, { environment })).endpoints[0] ?? {}
    const files = {
      caFile: join(folder, 'ca.pem'),
      certFile: join(folder, 'cert.pem'),
      keyFile: join(folder, 'key.pem'),
    }
    expect(tls).toEqual(expected && { ...files, ...expected })
  })

  it('looks for the certificates beside docker’s configuration, and wants none of our own', async () => {
    const { tls } =
      (await find(undefined, { environment: { DOCKER_HOST, DOCKER_TLS: '1', DOCKER_CONFIG: '/c' } }))
        .endpoints[0] ?? {}
    expect(tls).toEqual({ caFile: '/c/ca.pem', verify: false })
  })
})

describe('a configuration that cannot be understood', () => {
  it.each([
    [
      'config.json that is no JSON',
      { '.docker/config.json': '{' },
      {},
      { path: expect.stringMatching(/\/\.docker\/config\.json$/) },
    ],
    [
      'config.json of another shape',
      { '.docker/config.json': '{"currentContext":7}' },
      {},
      { reason: expect.stringContaining('currentContext') },
    ],
    [
      'a context that is not there',
      { '.docker/config.json': '{"currentContext":"gone"}' },
      {},
      { context: 'gone' },
    ],
    [
      'DOCKER_CONTEXT that is not there',
      {},
      { DOCKER_CONTEXT: 'gone' },
      { context: 'gone', origin: 'DOCKER_CONTEXT' },
    ],
    ['DOCKER_HOST that is no address', {}, { DOCKER_HOST: 'http://a' }, { variable: 'DOCKER_HOST' }],
  ])('is an error: %s', async (_what, files, environment, data) => {
    const found = find(undefined, { home: temporaryFolder(files), environment })
    await expect(found).rejects.toMatchObject({ code: 'ENGINE_UNREACHABLE', data })
  })

  it('is not quoted in the error, because it may have a secret in it', async () => {
    const home = temporaryFolder({ '.docker/config.json': '{"auths":hunter2' })
    const error = await find(undefined, { home }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'ENGINE_UNREACHABLE', data: { reason: 'it is not JSON' } })
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2')
  })

  it.skipIf(dockerCli.missing)(
    'is an error that names the file: a context with broken metadata',
    async () => {
      const home = temporaryFolder()
      docker(home, 'context', 'create', 'mine', '--docker', 'host=tcp://a:1')
      const meta = join(home, '.docker/contexts/meta')
      const file = join(meta, readdirSync(meta)[0] ?? '', 'meta.json')
      writeFileSync(file, '{"Name"')
      await expect(find({ context: 'mine' }, { home })).rejects.toMatchObject({
        code: 'ENGINE_UNREACHABLE',
        data: { path: file },
      })
    },
  )

  it('is an error of the option when the option is malformed', async () => {
    await expect(find('http://a')).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
  })
})

describe.skipIf(dockerCli.missing)('contexts as docker’s CLI writes them', () => {
  it('are read', async () => {
    const home = temporaryFolder()
    docker(home, 'context', 'create', 'plain', '--docker', 'host=tcp://a:1')
    docker(home, 'context', 'create', 'far', '--docker', 'host=ssh://me@a')
    docker(home, 'context', 'create', 'blind', '--docker', 'host=tcp://a:1,skip-tls-verify=true')
    const endpoint = async (context: string) => (await find({ context }, { home })).endpoints[0]
    const origin = 'the docker context "plain"'
    expect(await endpoint('plain')).toEqual({ address: 'tcp://a:1', origin, isLocal: false })
    expect(await endpoint('far')).toMatchObject({ address: 'ssh://me@a' })
    expect(await endpoint('blind')).toMatchObject({ tls: { verify: false } })
  })

  const one = { DOCKER_HOST: 'tcp://127.0.0.1:1' }
  const two = { DOCKER_CONTEXT: 'two' }
  it.each([
    ['DOCKER_HOST, the current context', { ...one }, true],
    ['DOCKER_HOST, DOCKER_CONTEXT', { ...one, ...two }, false],
    ['DOCKER_CONTEXT, the current context', { ...two }, true],
    ['the current context', {}, true],
    ['DOCKER_CONTEXT=default, the current context', { DOCKER_CONTEXT: 'default' }, true],
    ['a DOCKER_HOST without a scheme', { DOCKER_HOST: '127.0.0.1:7' }, false],
    ['a DOCKER_HOST without a port', { DOCKER_HOST: 'tcp://127.0.0.1' }, false],
  ])('lead to where the CLI goes: %s', async (_what, environment, hasCurrent) => {
    const home = temporaryFolder()
    docker(home, 'context', 'create', 'two', '--docker', 'host=tcp://127.0.0.1:2')
    docker(home, 'context', 'create', 'three', '--docker', 'host=tcp://127.0.0.1:3')
    if (hasCurrent) docker(home, 'context', 'use', 'three')
    const [ours] = await addresses(undefined, { home, environment })
    const { stdout } = spawnSync('docker', ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'], {
      env: { PATH: process.env.PATH, HOME: home, ...environment },
    })
    expect(ours).toBe(stdout.toString().trim())
  })
})

function docker(home: string, ...args: string[]): void {
  execFileSync('docker', args, { env: { PATH: process.env.PATH, HOME: home }, stdio: 'pipe' })
}
