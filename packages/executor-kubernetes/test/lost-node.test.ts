import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { ClusterDaemon } from './daemon-of-cluster.ts'
import { executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { disposableCluster, image, nodes } from './requirements.ts'

const namespace = disposableCluster.missing ? undefined : await TestNamespace.create()
const name = namespace?.name ?? ''

const sleeping = { language: 'sh', code: 'echo begun; sleep 600' }
const next = { language: 'sh', code: 'cat kept.txt' }

describe.skipIf(disposableCluster.missing)('a cluster that loses a part', { timeout: 240_000 }, () => {
  afterAll(() => namespace?.remove())

  it.each([false, true])(
    'its node: a block has died, and the next one says what holds it up: warm: %s',
    async (warm) => {
      const kubelet = ClusterDaemon.kubelet(1)
      await using executor = executorIn(name, { warm, pod: { image, nodeSelector: nodes.open } })
      await executor.execute([{ language: 'sh', code: 'echo kept > kept.txt' }])
      const block = warm
        ? { language: 'python', code: 'import time; print("begun", flush=True); time.sleep(600)' }
        : sleeping
      const running = executor.execute([block])
      for await (const { type } of running) if (type === 'stdout') await kubelet.kill()
      onTestFinished(() => untilUsable(kubelet))
      expect(await running).toMatchObject({
        status: 'died',
        exitCode: 255,
        output: expect.stringMatching(/^begun\n/),
      })
      // Its pod cannot be ended, so nothing takes its place: two of them would run.
      await expect(executor.execute([next])).rejects.toMatchObject({
        code: 'CLUSTER_FAILED',
        data: { namespace: name, limitMs: expect.stringMatching(/^\d+$/) },
      })
      kubelet.start()
      expect(await ranInTheEnd(() => executor.execute([next]))).toMatchObject({
        status: 'ok',
        output: 'kept\n',
      })
    },
  )

  it('its API server: a block ends as it does, and the next one runs when it is back', async () => {
    const apiServer = ClusterDaemon.apiServer()
    await using executor = executorIn(name, { pod: { image, nodeSelector: nodes.open } })
    await executor.execute([{ language: 'sh', code: 'echo kept > kept.txt' }])
    const running = executor.execute([sleeping])
    for await (const { type } of running) if (type === 'stdout') await apiServer.kill()
    expect(await running).toMatchObject({
      status: 'died',
      exitCode: 255,
      output: expect.stringMatching(/^begun\n/),
    })
    await expect(executor.execute([next])).rejects.toMatchObject({ code: 'CLUSTER_UNREACHABLE' })
    apiServer.start()
    expect(await ranInTheEnd(() => executor.execute([next]))).toMatchObject({
      status: 'ok',
      output: 'kept\n',
    })
  })
})

/** A part that was started again takes a while. */
async function ranInTheEnd<Result>(act: () => Promise<Result>): Promise<Result> {
  for (const endsAt = performance.now() + 120_000; ; ) {
    try {
      return await act()
    } catch (error) {
      if (performance.now() > endsAt) throw error
    }
  }
}

/** What a later test finds must be whole. */
async function untilUsable(kubelet: ClusterDaemon): Promise<void> {
  await using executor = executorIn(name, { pod: { image, nodeSelector: nodes.open } })
  await ranInTheEnd(() => executor.start()).catch((error) => {
    kubelet.start()
    throw error
  })
}
