import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describeNetwork } from '@fenced/contract'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createListedPod, executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { nodes, ownCluster } from './requirements.ts'

const namespace = ownCluster.missing ? undefined : await TestNamespace.create()
await namespace?.close()

const endHelper = `import os, signal
helpers = []
for process in filter(str.isdigit, os.listdir("/proc")):
    words = open("/proc/%s/cmdline" % process, "rb").read().split(b"\\0")
    if b"python" in words[0] and any(b"fenced-network 1" in word for word in words): helpers.append(int(process))
for helper in helpers: os.kill(helper, signal.SIGKILL)
print("ended", len(helpers))`

const listed = { allowedHosts: ['api.test'] } as const

describe.skipIf(ownCluster.missing)('a pod', () => {
  afterAll(() => namespace?.remove())

  describeNetwork(
    { describe, it },
    {
      name: 'kubernetes',
      create: createListedPod(namespace?.name),
    },
  )

  it('whose network is a list is not used where the cluster lets something out beside it', async () => {
    const executor = executorIn(namespace?.name, { network: listed, pod: { nodeSelector: nodes.open } })
    await expect(executor.start()).rejects.toMatchObject({
      code: 'NETWORK_NOT_CLOSED',
      data: { address: expect.any(String), option: 'network' },
    })
  })

  it('has another helper for the next block, when a block has ended the one there was', async () => {
    const server = createServer((_, response) => response.end('reached'))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const network = { allowedCIDRs: ['127.0.0.1/32'], ports: [port] } as const
    await using executor = executorIn(namespace?.name, { network, pod: { nodeSelector: nodes.closed } })
    const runPython = (code: string) => executor.execute([{ language: 'python', code }])
    const reaching = `import socket
connection = socket.create_connection(("127.0.0.1", 3128))
connection.sendall(b"GET http://127.0.0.1:${port}/ HTTP/1.1\\r\\nHost: 127.0.0.1:${port}\\r\\nConnection: close\\r\\n\\r\\n")
print(connection.makefile().read())`
    expect((await runPython(reaching)).output).toContain('reached')
    const ended = await runPython(endHelper)
    expect(ended).toMatchObject({ status: 'ok', output: 'ended 1\n' })
    await expect.poll(async () => (await runPython(reaching)).output).toContain('reached')
  }, 120_000)

  it('says with each result which hosts its list names', async () => {
    const executor = executorIn(namespace?.name, { network: listed })
    expect(executor.capabilities).toMatchObject({
      network: 'list',
      isolationParticulars: { allowedHosts: 'api.test' },
    })
  })
})
