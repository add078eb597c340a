import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Cluster } from '../../src/api/cluster.ts'
import { kubeconfigOf, testFolder } from '../fake-api-server.ts'

const doing = 'testing'

it.each([
  [
    'a request',
    (cluster: Cluster, signal: AbortSignal) => cluster.ask({ method: 'GET', path: '/', doing, signal }),
  ],
  [
    'an exec',
    (cluster: Cluster, signal: AbortSignal) => cluster.connect({ path: '/', query: '', doing, signal }),
  ],
])('%s to a server that says nothing ends after ten seconds', async (_, send) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const kubeconfig = join(testFolder(), 'config')
  writeFileSync(kubeconfig, kubeconfigOf({ server: `https://127.0.0.1:${port}` }, {}))
  const cluster = await Cluster.find({ kubeconfig })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const sent = send(cluster, AbortSignal.timeout(60_000))
  const [connection] = (await once(server, 'connection')) as [Socket]
  connection.resume().on('error', () => {})
  vi.advanceTimersByTime(10_000)
  await expect(sent).rejects.toMatchObject({
    code: 'CLUSTER_UNREACHABLE',
    data: { reason: 'no connection within 10 seconds' },
  })
  connection.destroy()
})
