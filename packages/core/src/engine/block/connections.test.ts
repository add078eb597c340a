import { expect, it } from 'vitest'
import type { NetworkObserver } from '../../network/network-observer.ts'
import type { NetworkConnection } from '../../vocabulary/network-connection.ts'
import { collect } from '../collect.fixture.ts'
import { blocks, fakeExecutor } from '../fake-driver.fixture.ts'

type Made = Pick<NetworkConnection, 'host' | 'verdict'> & Partial<NetworkConnection>

/** Runs a block whose program makes connections, as the gate of a sandbox reports them. */
async function run(connections: readonly Made[]) {
  const observers: NetworkObserver[] = []
  const network = {
    watch(observer: NetworkObserver): Disposable {
      observers.push(observer)
      return { [Symbol.dispose]: () => void observers.splice(observers.indexOf(observer), 1) }
    },
  }
  const connecting = async () => {
    for (const [index, made] of connections.entries()) {
      const connection = { id: `${index}`, port: 443, bytesSent: 0, bytesReceived: 0, durationMs: 1, ...made }
      for (const { onConnection } of observers) onConnection?.(connection)
    }
    return { exitCode: 0 }
  }
  const { executor } = fakeExecutor({ network, programs: { connecting } })
  const execution = executor.execute(blocks('connecting'))
  const events = await collect(execution)
  const [block] = (await execution).blocks
  return { events, block }
}

function repeated(count: number, connection: Made): Made[] {
  return Array.from({ length: count }, () => connection)
}

it('has an allowed connection after 2,000 refused ones', () => expectAllowedAfter('refused'))

it('has an allowed connection after 2,000 failed ones', () => expectAllowedAfter('failed'))

async function expectAllowedAfter(verdict: 'refused' | 'failed'): Promise<void> {
  const { events, block } = await run([
    ...repeated(2_000, { host: 'other.test', verdict }),
    { host: 'api.test', verdict: 'allowed', bytesSent: 5 },
  ])
  expect(block?.connections).toHaveLength(1_001)
  expect(block?.connections?.at(-1)).toMatchObject({ host: 'api.test', verdict: 'allowed', bytesSent: 5 })
  const seen = events.flatMap((event) => (event.type === 'connection' ? event.connection : []))
  expect(seen).toEqual(block?.connections)
  const notice = block?.notices.find(({ code }) => code === 'connections-left-out')
  expect(notice?.data).toEqual({ [verdict]: '1000' })
}

it('counts the allowed connections that it leaves out, with their hosts and bytes', async () => {
  const { block } = await run([
    ...repeated(1_000, { host: 'api.test', verdict: 'allowed' }),
    { host: 'evil.test', verdict: 'refused' },
    ...repeated(2, { host: 'upload.test', verdict: 'allowed', bytesSent: 1_000_000 }),
  ])
  expect(block?.connections?.at(-1)).toMatchObject({ host: 'evil.test' })
  expect(block?.notices).toMatchObject([
    { code: 'network-refused' },
    {
      code: 'connections-left-out',
      data: { allowed: '2', hosts: 'upload.test:443', bytesSent: '2000000' },
    },
  ])
})

it('says nothing about connections where it has all of them', async () => {
  const { block } = await run(repeated(1_000, { host: 'api.test', verdict: 'allowed' }))
  expect(block?.connections).toHaveLength(1_000)
  expect(block?.notices).toEqual([])
})
