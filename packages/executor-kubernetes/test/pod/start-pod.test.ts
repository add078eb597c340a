import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { claimPod } from '../../src/pod/claim.ts'
import { podOptionsSchema } from '../../src/pod/pod-options.ts'
import { podRequest } from '../../src/pod/pod-request.ts'
import { startPod } from '../../src/pod/start-pod.ts'
import { fakeCluster } from '../fake-api-server.ts'

const running = { running: {} }
const request = podRequest(podOptionsSchema.parse({}), { maxLifetimeMs: 0, idleTimeoutMs: 0 })
const signal = AbortSignal.timeout(60_000)

/** Answers to POST as the test says, and has what was made until it is deleted. */
async function clusterWith(
  status: (look: number) => object,
  make: (response: ServerResponse, store: () => void) => void = (response, store) => {
    store()
    response.end('{}')
  },
) {
  const made = new Map<string, object>()
  const requests: string[] = []
  let looks = 0
  const answer = async (asked: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '' } = asked
    requests.push(method)
    if (method === 'POST') {
      const body = (await json(asked)) as { metadata: { name: string } }
      Object.assign(body.metadata, { uid: 'u' })
      return make(response, () => made.set(`${url}/${body.metadata.name}`, body))
    }
    const found = made.get(url)
    if (found === undefined) return response.writeHead(404).end('{"message":"not there"}')
    if (method === 'DELETE') made.delete(url)
    response.end(JSON.stringify({ ...found, status: { phase: 'Pending', ...status(looks++) } }))
  }
  const cluster = await fakeCluster({ answer: (...args) => void answer(...args) })
  return { parts: { cluster, namespace: 'n', startTimeoutMs: 60_000 }, made, requests }
}

const waiting = (reason: string, message = '') => ({ waiting: { reason, message } })
const containers = (...states: [string, object][]) => ({
  containerStatuses: states.map(([name, state]) => ({ name, state })),
})

describe('the start of a pod', () => {
  it('waits for an image whose pull fails for a while', async () => {
    const states = [
      waiting('ErrImagePull', '429 Too Many Requests'),
      waiting('ImagePullBackOff', 'Back-off pulling image'),
      waiting('ContainerCreating'),
    ]
    const { parts } = await clusterWith((look) => containers(['code', states[look] ?? running]))
    expect(await startPod(parts, request, signal)).toMatchObject({ metadata: request.metadata })
  })

  it('ends with what the pull failed with when the time is up, and nothing is left', async () => {
    const { parts, made } = await clusterWith(() => containers(['code', waiting('ErrImagePull', 'refused')]))
    await expect(startPod({ ...parts, startTimeoutMs: 200 }, request, signal)).rejects.toMatchObject({
      code: 'PULL_FAILED',
      data: { reason: 'ErrImagePull', message: 'refused', limitMs: '200' },
    })
    expect(made.size).toBe(0)
  })

  it('looks at the container of the code, wherever another one stands', async () => {
    const ended = { terminated: { reason: 'Completed', exitCode: 0 } }
    const { parts } = await clusterWith((look) =>
      look === 0
        ? containers(['added', running], ['code', waiting('ContainerCreating')])
        : containers(['added', ended], ['code', running]),
    )
    const pod = await startPod(parts, request, signal)
    expect(pod.status).toMatchObject(containers(['added', ended], ['code', running]))
  })
})

describe('what is made although the answer to it is lost', () => {
  const lost = (store: { now?: () => void }) => (response: ServerResponse, keep: () => void) => {
    store.now = keep
    response.destroy()
  }

  it('is removed when it comes: a pod', { timeout: 60_000 }, async () => {
    const store: { now?: () => void } = {}
    const { parts, made } = await clusterWith(() => ({}), lost(store))
    await expect(startPod(parts, request, signal)).rejects.toMatchObject({ code: 'CLUSTER_UNREACHABLE' })
    store.now?.()
    expect(made.size).toBe(1)
    await expect.poll(() => made.size, { timeout: 50_000 }).toBe(0)
  })

  it('is removed when it comes: a claim', { timeout: 60_000 }, async () => {
    const store: { now?: () => void } = {}
    const { parts, made } = await clusterWith(() => ({}), lost(store))
    const claim = { warmPool: 'python', lifetimeMs: 0, hash: undefined }
    await expect(claimPod(parts, claim, signal)).rejects.toMatchObject({ code: 'CLUSTER_UNREACHABLE' })
    store.now?.()
    expect(made.size).toBe(1)
    await expect.poll(() => made.size, { timeout: 50_000 }).toBe(0)
  })

  it('is not looked for after a refusal', async () => {
    const { parts, requests } = await clusterWith(
      () => ({}),
      (response) => response.writeHead(403).end('{"message":"exceeded quota"}'),
    )
    await expect(startPod(parts, request, signal)).rejects.toMatchObject({ code: 'POD_REFUSED' })
    expect(requests).toEqual(['POST'])
  })
})
