import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/api/cluster.ts'
import { fakeCluster, fakeSecureServer, kubeconfigOf, testFolder } from '../fake-api-server.ts'

const signal = AbortSignal.timeout(60_000)
const request = { method: 'GET', path: '/api/v1/pods', doing: 'listing pods', signal } as const
const exec = { path: '/api/v1/namespaces/n/pods/p/exec', query: '', doing: 'opening an exec', signal }

type Server = Awaited<ReturnType<typeof fakeSecureServer>>

/** A server that accepts one token at a time, and a kubeconfig for it. */
async function serverWithToken() {
  const folder = testFolder()
  const seen: (string | undefined)[] = []
  const state = { token: 'first' }
  const server = await fakeSecureServer({
    accepts: ({ headers }) => {
      seen.push(headers.authorization)
      return headers.authorization === `Bearer ${state.token}`
    },
  })
  const kubeconfig = join(folder, 'config')
  const write = (user: object, of: Server = server) => writeFileSync(kubeconfig, kubeconfigOf(of, user))
  return { folder, seen, state, server, kubeconfig, write }
}

type Served = Awaited<ReturnType<typeof serverWithToken>>

/** Writes a token to where a kubeconfig has it from; returns how often a plugin was started for it. */
const sources: Readonly<Record<string, (served: Served, token: string) => () => number>> = {
  'the kubeconfig': ({ write }, token) => {
    write({ token })
    return () => 1
  },
  'a `tokenFile` beside the kubeconfig': ({ write, folder }, token) => {
    writeFileSync(join(folder, 'token'), `${token}\n`)
    write({ tokenFile: 'token', token: 'another' })
    return () => 1
  },
  'an exec plugin that names no end of its token': ({ write, folder }, token) => {
    const [credential, starts] = [join(folder, 'credential'), join(folder, 'starts')]
    const apiVersion = 'client.authentication.k8s.io/v1'
    writeFileSync(credential, JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token } }))
    writeFileSync(starts, '')
    const args = ['-c', 'echo >> "$0"; exec cat "$1"', starts, credential]
    // Only the first time: the kubeconfig of a plugin stays as it is.
    if (token === 'first') write({ exec: { apiVersion, command: 'sh', args, interactiveMode: 'Never' } })
    return () => readFileSync(starts, 'utf8').length
  },
}

describe('credentials of a cluster', () => {
  it.each(Object.keys(sources))(
    'that come from %s are read again after a refusal, by requests and by execs',
    async (name) => {
      const served = await serverWithToken()
      const source = sources[name]
      source?.(served, 'first')
      const cluster = await Cluster.find({ kubeconfig: served.kubeconfig })
      await cluster.ask(request)
      served.state.token = 'second'
      const starts = source?.(served, 'second')
      await Promise.all(Array.from({ length: 8 }, () => cluster.ask(request)))
      expect(starts?.()).toBe(1)
      served.state.token = 'third'
      source?.(served, 'third')
      const socket = await cluster.connect(exec)
      socket.terminate()
      expect(new Set(served.seen)).toEqual(new Set(['Bearer first', 'Bearer second', 'Bearer third']))
    },
  )

  it('are read again once; when they are refused again, the error says so', async () => {
    const { write, seen, kubeconfig, server } = await serverWithToken()
    write({ token: 'wrong' })
    const cluster = await Cluster.find({ kubeconfig })
    const refused = { code: 'CLUSTER_FORBIDDEN', data: { cluster: server.server, status: '401' } }
    await expect(cluster.ask(request)).rejects.toMatchObject(refused)
    expect(seen).toEqual(['Bearer wrong', 'Bearer wrong'])
    await expect(cluster.connect(exec)).rejects.toMatchObject(refused)
    expect(seen).toHaveLength(4)
  })

  it('of a kubeconfig that names another server by now are sent neither there nor to the first one', async () => {
    const { write, seen, state, kubeconfig } = await serverWithToken()
    write({ token: 'first' })
    const cluster = await Cluster.find({ kubeconfig })
    const other = await serverWithToken()
    write({ token: 'of the other' }, other.server)
    await cluster.ask(request)
    state.token = 'none'
    await expect(cluster.ask(request)).rejects.toMatchObject({ code: 'CLUSTER_FORBIDDEN' })
    expect(new Set(seen)).toEqual(new Set(['Bearer first']))
    expect(other.seen).toEqual([])
  })

  it('stay those of the context that was current, and those that were read while the file is half written', async () => {
    const { state, server, kubeconfig } = await serverWithToken()
    const config = (token: string, current: string) => ({
      ...JSON.parse(kubeconfigOf(server, {})),
      users: ['u', 'v'].map((name) => ({ name, user: { token: name === 'u' ? token : 'of another' } })),
      contexts: ['u', 'v'].map((user) => ({ name: user, context: { cluster: 'c', user } })),
      'current-context': current,
    })
    writeFileSync(kubeconfig, JSON.stringify(config('first', 'u')))
    const cluster = await Cluster.find({ kubeconfig })
    const whole = JSON.stringify(config('second', 'v'))
    writeFileSync(kubeconfig, whole.slice(0, 80))
    await cluster.ask(request)
    state.token = 'second'
    await expect(cluster.ask(request)).rejects.toMatchObject({ code: 'CLUSTER_FORBIDDEN' })
    writeFileSync(kubeconfig, whole)
    await cluster.ask(request)
  })

  it('are not sent without TLS', async () => {
    const seen: (string | undefined)[] = []
    const { server } = await fakeCluster({
      accepts: ({ headers }) => {
        seen.push(headers.authorization)
        return true
      },
    })
    const kubeconfig = join(testFolder(), 'config')
    writeFileSync(kubeconfig, kubeconfigOf({ server }, { token: 'secret' }))
    const cluster = await Cluster.find({ kubeconfig })
    await cluster.ask(request)
    expect(seen).toEqual([undefined])
  })
})
