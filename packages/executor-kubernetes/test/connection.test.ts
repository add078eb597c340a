import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { uniqueSeconds } from '@fenced/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { placeIn } from './backend-under-test.ts'
import { Between } from './cut-connection.ts'
import { executorIn } from './executor-of.ts'
import { kubeconfigWith } from './kubeconfig.ts'
import { TestNamespace } from './namespace.ts'
import { kubernetes } from './requirements.ts'

const namespace = kubernetes.missing ? undefined : await TestNamespace.create()
const name = namespace?.name ?? ''
const signal = () => AbortSignal.timeout(60_000)

describe.skipIf(kubernetes.missing)('a connection to a cluster', () => {
  afterAll(() => namespace?.remove())

  it('that is cut ends the stdin of a process in the pod, and nothing else', async () => {
    await using between = await Between.open()
    const { backend } = await placeIn(name, { kubeconfig: kubeconfigWith({ server: between.address }) })
    try {
      const script =
        'trap "echo signal >> signals" HUP INT TERM PIPE; echo ready; cat > /dev/null; echo ended > stdin; while :; do sleep 0.1; echo alive >> lives; done'
      const options = { cwd: '/workspace', env: {}, stdin: true, signal: signal() }
      const process = await backend.exec(['/bin/sh', '-c', script], options)
      const ready = Promise.withResolvers<void>()
      const reading = process.read(() => ready.resolve())
      await ready.promise
      between.cut()
      await reading
      expect(await process.poll()).toBe(undefined)
      const look = async (script: string) => {
        let output = ''
        const looking = await backend.exec(['/bin/sh', '-c', script], { ...options, stdin: false })
        await looking.read((_, chunk) => {
          output += Buffer.from(chunk)
        })
        return output
      }
      await expect.poll(() => look('cat stdin 2> /dev/null')).toBe('ended\n')
      const grows =
        'before=$(wc -l < lives); sleep 1; [ $(wc -l < lives) -gt $before ] && echo grows; cat signals'
      expect(await look(`${grows} 2> /dev/null`)).toBe('grows\n')
    } finally {
      await backend.remove()
    }
  })

  it('that is cut under a block makes it `died`; it is ended, and the next one runs in the same pod', async () => {
    await using between = await Between.open()
    const cluster = { kubeconfig: kubeconfigWith({ server: between.address }) }
    for (const warm of [false, true]) {
      await using executor = executorIn(name, { cluster, warm })
      const seconds = uniqueSeconds()
      const code = `import time; print("begun", flush=True); time.sleep(${seconds})`
      const running = executor.execute([{ language: 'python', code }])
      for await (const event of running) if (event.type === 'stdout') between.cut()
      expect(await running).toMatchObject({
        status: 'died',
        exitCode: 255,
        output: expect.stringMatching(/^begun\n/),
      })
      const look = `for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $f; echo; done | grep -c '${seconds}' | grep -v 1`
      await expect
        .poll(async () => (await executor.execute([{ language: 'sh', code: look }])).status, {
          timeout: 30_000,
        })
        .toBe('error')
    }
  })

  it('that falls silent under a block makes it `died`, and the next one runs', {
    tags: 'nightly',
    timeout: 120_000,
  }, async () => {
    await using between = await Between.open()
    const cluster = { kubeconfig: kubeconfigWith({ server: between.address }) }
    await using executor = executorIn(name, { cluster, warm: false })
    const running = executor.execute([{ language: 'sh', code: 'echo begun; sleep 600' }])
    for await (const event of running) if (event.type === 'stdout') between.silence()
    expect((await running).blocks).toMatchObject([
      { status: 'died', stdout: 'begun\n', notices: [{ code: 'died', data: { state: 'unknown' } }] },
    ])
    between.speak()
    const next = await executor.execute([{ language: 'sh', code: 'echo next' }])
    expect(next).toMatchObject({ status: 'ok', output: 'next\n' })
  })

  it('that falls silent under an upload ends it, however much there is to upload', {
    tags: 'nightly',
    timeout: 120_000,
  }, async () => {
    await using between = await Between.open()
    const { backend } = await placeIn(name, { kubeconfig: kubeconfigWith({ server: between.address }) })
    try {
      async function* archive() {
        for (let count = 0; count < 2_000; count++) {
          if (count === 1_000) between.silence()
          yield Buffer.alloc(64 * 1_024)
        }
      }
      const upload = backend.put?.('/workspace', Readable.from(archive()), { signal: signal() })
      await expect(upload).rejects.toMatchObject({ code: 'CLUSTER_FAILED' })
      between.speak()
    } finally {
      await backend.remove()
    }
  })

  it('is not made for a warm block: its files come through the one that is kept, which is made again where it was lost', async () => {
    await using between = await Between.open()
    const cluster = { kubeconfig: kubeconfigWith({ server: between.address }) }
    await using executor = executorIn(name, { cluster, warm: {} })
    const write = (text: string) =>
      executor.execute([{ language: 'python', code: `open("made.txt", "w").write("${text}")` }])
    const read = () => readFile(join(executor.workDir, 'made.txt'), 'utf8')
    for (let round = 0; round < 3; round++) await write(`${round}`)
    const madeForBlocks = async () => {
      const before = between.made
      for (let round = 0; round < 5; round++) await write(`again ${round}`)
      return between.made - before
    }
    // Those that wait for what is to come are opened in the background.
    await expect.poll(madeForBlocks).toBe(0)
    expect(await read()).toBe('again 4')
    const script = `for f in /proc/[0-9]*; do grep -q 'eval "$script"' $f/cmdline && kill -9 \${f#/proc/}; done`
    await executor.execute([{ language: 'sh', code: `{ ${script}; } 2> /dev/null; true` }])
    expect(await write('after it was ended')).toMatchObject({ status: 'ok' })
    expect(await read()).toBe('after it was ended')
  })

  it('to an API server that restarts is made again', { tags: 'nightly' }, async () => {
    await using between = await Between.open()
    await using executor = executorIn(name, {
      cluster: { kubeconfig: kubeconfigWith({ server: between.address }) },
    })
    await executor.execute([{ language: 'python', code: 'print(1)' }])
    await between.refuse()
    const failing = executor.execute([{ language: 'python', code: 'print(2)' }])
    await expect(failing).rejects.toMatchObject({
      code: 'CLUSTER_UNREACHABLE',
      data: { cluster: between.address, command: 'kubectl get --raw /readyz' },
    })
    await between.answer()
    const next = await executor.execute([{ language: 'python', code: 'print(3)' }])
    expect(next).toMatchObject({ status: 'ok', output: '3\n' })
  })
})
