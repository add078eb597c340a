import { FencedError } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import type { Cluster } from '../src/api/cluster.ts'
import { removeLeftClaims, removeLeftovers } from '../src/pod/leftovers.ts'
import { requireClosedPolicy } from '../src/pod/network-policy.ts'
import { beginCommand, openExec } from '../src/pod/open-exec.ts'
import { findDetached, findDetachedClaim } from '../src/sandbox/detached-pod.ts'
import { fakeCluster } from './fake-api-server.ts'

const signal = AbortSignal.timeout(60_000)
const request = { method: 'GET', path: '/api/v1/pods', doing: 'listing pods', signal } as const
const target = { podPath: '/api/v1/namespaces/n/pods/p', container: 'code' }
const mebibyte = 2 ** 20

async function refusalOf(promise: Promise<unknown>): Promise<FencedError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!FencedError.isInstance(error)) throw error ?? new Error('It did not reject.')
  return error
}

/** Writes without end, as fast as it is read, and tells how much that was. */
function flood(write: (chunk: Buffer, done: () => void) => void, isOver: () => boolean) {
  const chunk = Buffer.alloc(mebibyte, 'x')
  const seen = { mebibytes: 0 }
  const next = () => {
    seen.mebibytes++
    if (!isOver() && seen.mebibytes < 200) write(chunk, next)
  }
  next()
  return seen
}

/** What a request fails with whose answer is something else. */
const notUnderstood = (cluster: Cluster) => ({
  code: 'CLUSTER_FAILED',
  data: { cluster: cluster.server, status: '200', option: 'cluster' },
})

it.each([
  ...['{}', '{"items":1}', '[]', 'null', '"items"', '<html><body>Sign in</body></html>'],
  ...['{"items":[null]}', '{"items":[{}]}', '{"items":[{"metadata":{"name":1}}]}'],
])('an answer that is not a list of such objects is an error of the cluster: %s', async (content) => {
  const cluster = await fakeCluster({ answer: (_, response) => response.end(content) })
  const context = { signal, notice: () => {} }
  const failed = notUnderstood(cluster)
  expect(await refusalOf(removeLeftovers(cluster, 'n', context))).toMatchObject(failed)
  expect(await refusalOf(removeLeftClaims(cluster, 'n', context))).toMatchObject(failed)
  const policy = requireClosedPolicy(cluster, { namespace: 'n', labels: {} }, signal)
  expect(await refusalOf(policy)).toMatchObject(failed)
})

it.each([
  ...['{}', 'null', '[]', '{"metadata":{"name":"p","uid":7}}', '<html><body>Sign in</body></html>'],
  '{"metadata":{"name":"p","uid":"u"},"status":{"containerStatuses":{"name":"code"}}}',
])('an answer that is not a pod is an error of the cluster: %s', async (content) => {
  const cluster = await fakeCluster({ answer: (_, response) => response.end(content) })
  const found = findDetached('n/p/u', 'hash', { cluster, namespace: 'n', signal })
  expect(await refusalOf(found)).toMatchObject(notUnderstood(cluster))
})

it.each(['{}', '{"metadata":{"name":"c","uid":"u"},"status":{"conditions":[7]}}'])(
  'an answer that is not a claim is an error of the cluster: %s',
  async (content) => {
    const cluster = await fakeCluster({ answer: (_, response) => response.end(content) })
    const found = findDetachedClaim('n/c/u', 'hash', { cluster, namespace: 'n', signal })
    expect(await refusalOf(found)).toMatchObject(notUnderstood(cluster))
  },
)

it('a policy whose rules are not a list does not count as closed', async () => {
  const policy = { metadata: { name: 'p' }, spec: { policyTypes: ['Egress'], egress: { length: 0 } } }
  const cluster = await fakeCluster({
    answer: (_, response) => response.end(JSON.stringify({ items: [policy] })),
  })
  const required = requireClosedPolicy(cluster, { namespace: 'n', labels: {} }, signal)
  expect(await refusalOf(required)).toMatchObject(notUnderstood(cluster))
})

describe('an API server or an image that says too much', () => {
  it.each([403, 502])('gets a short error of a refusal that has no end: %s', async (status) => {
    let seen = { mebibytes: 0 }
    const cluster = await fakeCluster({
      answer: (_, response) => {
        response.writeHead(status).write('{"message":"')
        seen = flood(
          (chunk, done) => response.write(chunk, done),
          () => response.destroyed,
        )
      },
    })
    const { code, message, cause } = await refusalOf(cluster.ask(request))
    expect(code).toMatch(/^(CLUSTER_FAILED|POD_REFUSED)$/)
    expect(message.length).toBeLessThan(10_000)
    expect((cause as Error).message.length).toBeLessThan(100_000)
    expect(seen.mebibytes).toBeLessThan(100)
  })

  it('gets a short error of a refused exec that has no end', async () => {
    let seen = { mebibytes: 0 }
    const cluster = await fakeCluster({
      refuseExec: (connection) => {
        connection.write('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n{"message":"')
        seen = flood(
          (chunk, done) => connection.write(chunk, done),
          () => connection.destroyed,
        )
      },
    })
    const { code, message } = await refusalOf(openExec({ cluster, ...target }, { signal }))
    expect(code).toBe('POD_REFUSED')
    expect(message.length).toBeLessThan(10_000)
    expect(seen.mebibytes).toBeLessThan(100)
  })

  it('ends the start of an exec whose shell writes without end', async () => {
    let seen = { mebibytes: 0 }
    const cluster = await fakeCluster({
      exec: (socket: WebSocket) => {
        seen = flood(
          (chunk, done) => socket.send(Buffer.concat([Buffer.of(2), chunk]), done),
          () => socket.readyState !== socket.OPEN,
        )
      },
    })
    const { code, message } = await refusalOf(openExec({ cluster, ...target }, { signal }))
    expect(code).toBe('CONTAINER_UNUSABLE')
    expect(message.length).toBeLessThan(10_000)
    expect(seen.mebibytes).toBeLessThan(100)
  })
})

it('an exec whose shell says nothing ends, and a later command in it as well', async () => {
  const limitMs = 100
  const cluster = await fakeCluster({})
  const silent = { code: 'CLUSTER_UNREACHABLE', data: { limitMs: '100' } }
  expect(await refusalOf(openExec({ cluster, ...target }, { signal, limitMs }))).toMatchObject(silent)
  const saysOnce = await fakeCluster({ exec: (socket) => socket.send(Buffer.of(1, 10)) })
  const socket = await openExec({ cluster: saysOnce, ...target }, { signal })
  const command = beginCommand(socket, { cluster: saysOnce, input: 'x:\n.\n', signal, limitMs })
  expect(await refusalOf(command)).toMatchObject(silent)
})

it('what a pod says together with the answer that opens an exec is read', async () => {
  const cluster = await fakeCluster({
    exec: (socket) => {
      socket.send(Buffer.of(1, 10))
      socket.once('message', () => socket.send(Buffer.of(1, 10)))
    },
  })
  const socket = await openExec({ cluster, ...target }, { signal })
  await beginCommand(socket, { cluster, input: 'x:\n.\n', signal })
  socket.destroy()
})
