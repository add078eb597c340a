import { describe, expect, it, onTestFinished } from 'vitest'
import { whyOpen } from '../src/pod/network-policy.ts'
import { executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { kubernetes, nodes, ownCluster } from './requirements.ts'

async function namespace(): Promise<TestNamespace> {
  const made = await TestNamespace.create()
  onTestFinished(() => made.remove())
  return made
}

describe.skipIf(kubernetes.missing)("`network: 'none'`", () => {
  it('is not promised where no policy says so, and nothing is made then', async () => {
    const open = await namespace()
    await expect(executorIn(open.name, { network: 'none' }).start()).rejects.toMatchObject({
      code: 'NETWORK_NOT_CLOSED',
      data: { namespace: open.name, option: 'network' },
    })
    expect(await open.pods()).toEqual([])
  })

  it.skipIf(ownCluster.missing)('is not promised where the network ignores the policy', async () => {
    const ignored = await namespace()
    await ignored.close()
    const executor = executorIn(ignored.name, { network: 'none', pod: { nodeSelector: nodes.open } })
    await expect(executor.start()).rejects.toMatchObject({
      code: 'NETWORK_NOT_CLOSED',
      data: { address: expect.stringMatching(/^[\d.]+:\d+$/), option: 'network' },
    })
    expect(await ignored.pods()).toEqual([])
  })

  it.skipIf(ownCluster.missing)('is promised where nothing gets out', async () => {
    const closed = await namespace()
    await closed.close()
    await using executor = executorIn(closed.name, { network: 'none', pod: { nodeSelector: nodes.closed } })
    expect(executor.capabilities.network).toBe('none')
    const code =
      'import socket\ntry: socket.create_connection(("1.1.1.1", 443), 2)\nexcept OSError: print("no way")'
    expect(await executor.execute([{ language: 'python', code }])).toMatchObject({ output: 'no way\n' })
  })

  it.skipIf(ownCluster.missing)(
    'is seen with what an image has to try it: bash, or nc',
    { tags: 'nightly' },
    async () => {
      const closed = await namespace()
      await closed.close()
      for (const image of ['fenced-test/plain', 'fenced-test/busybox']) {
        await using executor = executorIn(closed.name, {
          network: 'none',
          pod: { image, nodeSelector: nodes.closed },
        })
        await executor.start()
        const open = executorIn(closed.name, { network: 'none', pod: { image, nodeSelector: nodes.open } })
        await expect(open.start()).rejects.toMatchObject({ code: 'NETWORK_NOT_CLOSED' })
      }
    },
  )
})

describe('the policies of a namespace', () => {
  const labels = { app: 'fenced' }
  const closed = {
    metadata: { name: 'closed' },
    spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
  }

  it('close a pod when one for egress selects it and none allows anything', () => {
    expect(whyOpen([closed], labels)).toBe(undefined)
    expect(whyOpen([], labels)?.data).toEqual({})
    const ingress = { ...closed, spec: { ...closed.spec, policyTypes: ['Ingress'] } }
    expect(whyOpen([ingress], labels)?.data).toEqual({})
    const dns = {
      metadata: { name: 'dns' },
      spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] },
    }
    expect(whyOpen([closed, dns], labels)?.data).toEqual({ networkPolicy: 'dns' })
  })

  it('select a pod by every kind of expression', () => {
    const of = (podSelector: object) => [{ ...closed, spec: { ...closed.spec, podSelector } }]
    const by = (operator: string, key: string, values?: string[]) =>
      whyOpen(of({ matchExpressions: [{ key, operator, ...(values && { values }) }] }), labels) === undefined
    expect(whyOpen(of({ matchLabels: { app: 'other' } }), labels)?.data).toEqual({})
    expect(by('In', 'app', ['fenced'])).toBe(true)
    expect(by('In', 'app', ['other'])).toBe(false)
    expect(by('NotIn', 'app', ['fenced'])).toBe(false)
    expect(by('NotIn', 'none', ['fenced'])).toBe(true)
    expect(by('Exists', 'app')).toBe(true)
    expect(by('DoesNotExist', 'app')).toBe(false)
  })
})
