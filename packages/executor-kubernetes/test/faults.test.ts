import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FencedError } from '@fenced/core'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { kubernetes, ownCluster, testCluster } from './requirements.ts'

const namespace = kubernetes.missing ? undefined : await TestNamespace.create()
const name = namespace?.name ?? ''

async function refusal(options: Parameters<typeof executorIn>[1], of = name): Promise<FencedError> {
  const executor = executorIn(of, options)
  try {
    return await executor.start().then(
      () => Promise.reject(new Error('It started.')),
      (error: FencedError) => error,
    )
  } finally {
    await executor.stop()
  }
}

const sleeping = { language: 'sh', code: 'echo begun; sleep 600' }

describe.skipIf(kubernetes.missing)('what goes wrong with a cluster', () => {
  afterAll(() => namespace?.remove())

  it('a kubeconfig that is not there or says nothing names the file', async () => {
    const missing = await refusal({ cluster: { kubeconfig: '/not/there' } })
    expect(missing).toMatchObject({
      code: 'CLUSTER_NOT_FOUND',
      data: { path: '/not/there', option: 'cluster' },
    })
    const context = await refusal({ cluster: { ...testCluster, context: 'other' } })
    expect(context).toMatchObject({
      code: 'CLUSTER_NOT_FOUND',
      data: { reason: expect.stringContaining('other') },
    })
  })

  it('an address at which nothing listens says so', async () => {
    const file = join(tmpdir(), `fenced-kubeconfig-${process.pid}`)
    onTestFinished(() => rm(file))
    writeFileSync(
      file,
      `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: 'https://127.0.0.1:1' } }]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
current-context: c`,
    )
    expect(await refusal({ cluster: { kubeconfig: file } })).toMatchObject({
      code: 'CLUSTER_UNREACHABLE',
      data: { cluster: 'https://127.0.0.1:1', reason: 'ECONNREFUSED' },
    })
  })

  it('an image that is nowhere is named, and nothing is left', { tags: 'nightly' }, async () => {
    const error = await refusal({
      pod: { image: 'localhost:1/nothing:1', imagePullPolicy: 'IfNotPresent' },
      startTimeoutMs: 5_000,
    })
    expect(error).toMatchObject({
      code: 'PULL_FAILED',
      data: { image: 'localhost:1/nothing:1', limitMs: '5000', message: expect.stringContaining('refused') },
    })
    const never = await refusal({ pod: { image: 'fenced-test/nothing', imagePullPolicy: 'Never' } })
    expect(never).toMatchObject({ code: 'IMAGE_NOT_FOUND' })
    expect(await namespace?.pods()).toEqual([])
  })

  it.skipIf(ownCluster.missing)('an image without a shell is one', async () => {
    const error = await refusal({ pod: { image: 'fenced-test/pause' } })
    expect(error.code).toBe('IMAGE_WITHOUT_SHELL')
  })

  it('a pod for which there is no node says what it waits for', async () => {
    const error = await refusal({
      pod: { nodeSelector: { 'fenced.test/no': 'node' } },
      startTimeoutMs: 2_000,
    })
    expect(error).toMatchObject({
      code: 'POD_NOT_STARTED',
      data: { reason: expect.stringContaining('Unschedulable'), limitMs: '2000' },
    })
    expect(await namespace?.pods()).toEqual([])
  })

  it('a namespace that is not there, a quota and a policy of admission refuse a pod', async () => {
    expect(await refusal({}, 'fenced-test-none')).toMatchObject({
      code: 'POD_REFUSED',
      data: { option: 'namespace', command: 'kubectl create namespace' },
    })
    const full = await TestNamespace.create()
    onTestFinished(() => full.remove())
    await full.make('api/v1', 'resourcequotas', {
      metadata: { name: 'small' },
      spec: { hard: { pods: '0' } },
    })
    await expect
      .poll(() => refusal({}, full.name), { timeout: 20_000 })
      .toMatchObject({
        code: 'POD_REFUSED',
        data: { option: 'pod.resources', command: 'kubectl describe quota' },
      })
    const limited = await TestNamespace.create()
    onTestFinished(() => limited.remove())
    const max = { memory: '64Mi' }
    await limited.make('api/v1', 'limitranges', {
      metadata: { name: 'small' },
      spec: { limits: [{ type: 'Container', max }] },
    })
    await expect
      .poll(() => refusal({}, limited.name), { timeout: 20_000 })
      .toMatchObject({ code: 'POD_REFUSED', data: { reason: expect.stringContaining('64Mi') } })
  })

  it('a hardened namespace takes the pod', async () => {
    const strict = await TestNamespace.create({ 'pod-security.kubernetes.io/enforce': 'restricted' })
    onTestFinished(() => strict.remove())
    await using executor = executorIn(strict.name)
    expect(await executor.execute([{ language: 'sh', code: 'echo in' }])).toMatchObject({ output: 'in\n' })
  })

  it('a pod that is deleted under a block makes it `died`, and the next block gets another one', async () => {
    await using executor = executorIn(name)
    const running = executor.execute([sleeping])
    for await (const event of running) if (event.type === 'stdout') await deletePods()
    expect(await running).toMatchObject({ status: 'died', exitCode: 255 })
    const next = await executor.execute([{ language: 'sh', code: 'echo next' }])
    expect(next).toMatchObject({ status: 'ok', output: 'next\n' })
  })

  it('a pod that is deleted between blocks is replaced, with its files', { tags: 'nightly' }, async () => {
    await using executor = executorIn(name)
    await executor.execute([{ language: 'sh', code: 'echo kept > kept.txt' }])
    await deletePods()
    await expect.poll(() => namespace?.pods()).toEqual([])
    const next = await executor.execute([{ language: 'sh', code: 'cat kept.txt' }])
    expect(next).toMatchObject({ status: 'ok', output: 'kept\n' })
    expect(next.blocks[0]?.notices).toMatchObject([{ code: 'container-replaced' }])
  })

  it('a pod that is evicted because its disk is used up makes its block `died`', async () => {
    const resources = { limits: { 'ephemeral-storage': '30Mi' }, requests: { 'ephemeral-storage': '1Mi' } }
    await using executor = executorIn(name, { pod: { resources } })
    const code = 'head -c 100000000 /dev/zero > /tmp/large; sleep 120'
    expect(await executor.execute([{ language: 'sh', code }])).toMatchObject({ status: 'died' })
  }, 180_000)

  it('what uses up the memory ends, and is told apart', async () => {
    const resources = { limits: { memory: '128Mi' } }
    await using executor = executorIn(name, { warm: false, pod: { resources } })
    const code = 'x = bytearray(400_000_000); print(len(x))'
    expect(await executor.execute([{ language: 'python', code }])).toMatchObject({
      status: 'out-of-memory',
      exitCode: 137,
    })
    expect(await executor.execute([{ language: 'python', code: 'print(1)' }])).toMatchObject({
      output: '1\n',
    })
  })

  it.each([true, false])(
    'a child that uses up the memory is a notice of its block, warm: %s',
    async (warm) => {
      const resources = { limits: { memory: '128Mi' } }
      await using executor = executorIn(name, { warm, pod: { resources } })
      const child = 'subprocess.run([sys.executable, "-c", "bytearray(400_000_000)"])'
      const code = `import subprocess, sys; print(${child}.returncode)`
      const data = { limit: 'memoryBytes', limitBytes: `${128 * 2 ** 20}` }
      expect(await executor.execute([{ language: 'python', code }])).toMatchObject({
        ...{ status: 'ok', output: '-9\n' },
        blocks: [{ notices: [{ code: 'process-out-of-memory', data }] }],
      })
      const next = await executor.execute([{ language: 'python', code: 'print(1)' }])
      expect(next).toMatchObject({ output: '1\n', blocks: [{ notices: [] }] })
    },
  )

  it('a pod ends by itself in time', async () => {
    await using executor = executorIn(name, { maxLifetimeMs: 15_000 })
    expect(await executor.execute([sleeping])).toMatchObject({ status: 'died' })
  })

  it('a pod in which nothing runs ends by itself, and the next block gets another one', async () => {
    await using executor = executorIn(name, { idleTimeoutMs: 15_000 })
    await executor.start()
    const [first = ''] = (await namespace?.pods()) ?? []
    const path = `/api/v1/namespaces/${name}/pods/${first}`
    const phase = async () =>
      (await namespace?.api.ask<{ status: { phase: string } }>('GET', path))?.status.phase
    await expect.poll(phase).toBe('Succeeded')
    expect(await executor.execute([{ language: 'sh', code: 'echo next' }])).toMatchObject({
      output: 'next\n',
    })
  })

  it('stop leaves no pod, and neither does a start that was cancelled', async () => {
    const executor = executorIn(name)
    await executor.start()
    expect(await namespace?.pods()).toHaveLength(1)
    await executor.stop()
    expect(await namespace?.pods()).toEqual([])
    const other = executorIn(name)
    const reason = new Error('not wanted')
    await expect(other.start({ signal: AbortSignal.timeout(300) })).rejects.toThrow()
    await expect(other.start({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await other.stop()
    expect(await namespace?.pods()).toEqual([])
  })

  it('what a killed process left is removed by the next start of this machine', async () => {
    const program = `
import { executorIn } from ${JSON.stringify(import.meta.resolve('./executor-of.ts'))}
await executorIn(${JSON.stringify(name)}).start()
process.kill(process.pid, 'SIGKILL')`
    const args = ['--conditions=@fenced/source', '--input-type=module', '--eval', program]
    expect(() => execFileSync(process.execPath, args, { stdio: 'inherit' })).toThrow(/SIGKILL/)
    const [left] = (await namespace?.pods()) ?? []
    expect(left).toMatch(/^fenced-/)
    await using executor = executorIn(name)
    const notices: string[] = []
    await executor.start({ onNotice: ({ code }) => notices.push(code) })
    expect(notices).toEqual(['leftovers-removed'])
    expect(await namespace?.pods()).not.toContain(left)
  })
})

async function deletePods(): Promise<void> {
  for (const pod of (await namespace?.pods()) ?? [])
    await namespace?.api.ask('DELETE', `/api/v1/namespaces/${name}/pods/${pod}`)
}
