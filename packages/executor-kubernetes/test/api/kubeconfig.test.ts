import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Cluster } from '../../src/api/cluster.ts'
import { fakeSecureServer, kubeconfigOf, testFolder } from '../fake-api-server.ts'

const signal = AbortSignal.timeout(60_000)
const request = { method: 'GET', path: '/api/v1/pods', doing: 'listing pods', signal } as const

/** A server that accepts everybody, and the heads of its requests. */
async function serverThatListens() {
  const seen: IncomingMessage['headers'][] = []
  const server = await fakeSecureServer({ accepts: ({ headers }) => seen.push(headers) > 0 })
  return { server, seen }
}

/** Writes a kubeconfig, and returns its path. */
function written(content: string, name = 'config', folder = testFolder()): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** A kubeconfig with one entry of each kind, all of this name. */
const named = (name: string, server: string, user: object = {}) =>
  JSON.stringify({
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: `of-${name}` } }],
    'current-context': name,
  })

afterEach(() => void vi.unstubAllEnvs())

describe('a kubeconfig', () => {
  it('of several files has the entries of all; the current context is the first one', async () => {
    const paths = ['a', 'b'].map((name) => written(named(name, `https://${name}.test`)))
    vi.stubEnv('KUBECONFIG', ['', ...paths].join(delimiter))
    expect(await Cluster.find()).toMatchObject({
      server: 'https://a.test',
      namespace: 'of-a',
      isOfPod: false,
    })
    expect(await Cluster.find({ context: 'b' })).toMatchObject({
      server: 'https://b.test',
      namespace: 'of-b',
    })
  })

  it('is YAML, and its entries that are not used need not be understood', async () => {
    const yaml = `
current-context: x
contexts: [{ name: x, context: { cluster: c } }, { name: 'y', context: 7 }]
clusters:
- name: other
- name: c
  cluster:
    server: https://c.test
`
    expect(await Cluster.find({ kubeconfig: written(yaml) })).toMatchObject({ server: 'https://c.test' })
  })

  it.each([
    ['has no such context', named('a', 'https://a.test'), 'b', 'it has no context b, only a'],
    ['has no context', '{}', undefined, 'it has no current context'],
    ['names no server', named('a', ''), undefined, expect.stringMatching(/entry a cannot be read/)],
    [
      'names no cluster of it',
      '{"current-context":"x","contexts":[{"name":"x","context":{"cluster":"c"}}]}',
      undefined,
      'its context x names a cluster that it does not contain (c)',
    ],
    [
      'is not YAML',
      'users:\n- token: hunter2\n  "',
      undefined,
      expect.stringMatching(/not YAML, see line 3/),
    ],
    ['has wrong types', '{"users":{"token":"hunter2"}}', undefined, expect.stringMatching(/users/)],
  ])('that %s is an error, which quotes no secret', async (_, content, context, reason) => {
    const error = await Cluster.find({ kubeconfig: written(content), context }).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'CLUSTER_NOT_FOUND', data: { option: 'cluster', reason } })
    expect(JSON.stringify([error.message, error.data, String(error.cause)])).not.toContain('hunter2')
  })

  it('has paths that start from its folder', async () => {
    const { server, seen } = await serverThatListens()
    const { 'certificate-authority-data': data = '', ...cluster } = server
    const folder = testFolder()
    written(Buffer.from(data, 'base64').toString(), 'ca.pem', folder)
    written('secret', 'token', folder)
    const entry = { ...cluster, 'certificate-authority': 'ca.pem' }
    const kubeconfig = written(kubeconfigOf(entry, { tokenFile: 'token' }), 'config', folder)
    await (await Cluster.find({ kubeconfig })).ask(request)
    expect(seen).toMatchObject([{ authorization: 'Bearer secret' }])
  })

  it.each([
    ['a password', { username: 'me', password: 'p:w' }, { authorization: `Basic ${btoa('me:p:w')}` }],
    ['a user to act as', { token: 't', as: 'other' }, { 'impersonate-user': 'other' }],
  ])('may have %s', async (_, user, headers) => {
    const { server, seen } = await serverThatListens()
    const cluster = await Cluster.find({ kubeconfig: written(kubeconfigOf(server, user)) })
    await cluster.ask(request)
    expect(seen).toMatchObject([headers])
  })

  it('has an exec plugin, which is told what it is for and asked again when its credentials expire', async () => {
    const { server, seen } = await serverThatListens()
    const folder = testFolder()
    const infos = join(folder, 'infos')
    const apiVersion = 'client.authentication.k8s.io/v1'
    const script = `echo "$KUBERNETES_EXEC_INFO" >> ${infos}
      printf '{"status":{"token":"%s","expirationTimestamp":"2001-01-01T00:00:00Z"}}' "$(wc -l < ${infos} | tr -d ' ')"`
    const exec = { apiVersion, command: './plugin', args: ['-c', script], provideClusterInfo: true }
    await promisify(execFile)('ln', ['-s', '/bin/sh', join(folder, 'plugin')])
    const kubeconfig = written(kubeconfigOf(server, { exec }), 'config', folder)
    await (await Cluster.find({ kubeconfig })).ask(request)
    const cluster = await Cluster.find({ kubeconfig })
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    await cluster.ask(request)
    vi.advanceTimersByTime(2_000)
    await cluster.ask(request)
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer 1', 'Bearer 2', 'Bearer 3'])
    const [info = ''] = readFileSync(infos, 'utf8').split('\n')
    const spec = { interactive: false, cluster: { server: server.server } }
    expect(JSON.parse(info)).toMatchObject({ apiVersion, kind: 'ExecCredential', spec })
  })

  it.each([
    ['prints something else', 'echo hunter2'],
    ['prints no credentials', `echo '{"status":{"token":["hunter2"]}}'`],
    ['ends with 3', 'echo hunter2; exit 3'],
  ])('has an exec plugin that %s: the error quotes no secret', async (_, script) => {
    const { server } = await serverThatListens()
    const exec = { command: 'sh', args: ['-c', script] }
    const cluster = await Cluster.find({ kubeconfig: written(kubeconfigOf(server, { exec })) })
    const error = await cluster.ask(request).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'CLUSTER_FORBIDDEN', data: { cluster: server.server } })
    expect(JSON.stringify([String(error), Reflect.get(Object(error), 'data')])).not.toContain('hunter2')
  })
})

describe('a kubeconfig that needs the client library', () => {
  it('logs in by OIDC', async () => {
    const { server, seen } = await serverThatListens()
    const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
    const token = `${part({ alg: 'none' })}.${part({ exp: 4_000_000_000 })}.x`
    const user = { 'auth-provider': { name: 'oidc', config: { 'id-token': token } } }
    const cluster = await Cluster.find({ kubeconfig: written(kubeconfigOf(server, user)) })
    await cluster.ask(request)
    expect(seen).toMatchObject([{ authorization: `Bearer ${token}` }])
  })

  it('has a proxy', async () => {
    const { server, seen } = await serverThatListens()
    const asked: (string | undefined)[] = []
    const proxy = createServer().on('connect', ({ url }, client) => {
      asked.push(url)
      const { hostname, port } = new URL(`http://${url}`)
      const upstream = connect(Number(port), hostname, () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        client.pipe(upstream).pipe(client)
      })
      for (const socket of [client, upstream]) socket.on('error', () => {})
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    onTestFinished(() => void proxy.close())
    const { port } = proxy.address() as AddressInfo
    const entry = { ...server, 'proxy-url': `http://127.0.0.1:${port}` }
    const cluster = await Cluster.find({ kubeconfig: written(kubeconfigOf(entry, { token: 't' })) })
    await cluster.ask(request)
    expect(asked).toEqual([new URL(server.server).host])
    expect(seen).toMatchObject([{ authorization: 'Bearer t' }])
  })

  it('says which package to install where it is missing', async () => {
    const user = { 'auth-provider': { name: 'oidc' } }
    const kubeconfig = written(kubeconfigOf({ server: 'https://127.0.0.1:1' }, user))
    const program = join(import.meta.dirname, '../programs/without-client-library.ts')
    const options = ['--conditions=@fenced/source', program, kubeconfig]
    const { stdout } = await promisify(execFile)(process.execPath, options)
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'CLUSTER_NOT_FOUND',
      data: { package: '@kubernetes/client-node', field: 'auth-provider' },
    })
  })
})
