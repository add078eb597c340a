import { setTimeout as delay } from 'node:timers/promises'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { controlledCommand, ExecPool, SupervisedProcess } from '@fenced/sandbox/internal'
import { Engine } from '@fenced/sandbox-docker'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { rawEngine } from './raw-engine.ts'
import { docker } from './requirements.ts'

const signal = new AbortController().signal

describe.skipIf(docker.missing)('ExecPool', () => {
  let container: Awaited<ReturnType<typeof startContainer>>
  let engine: Engine
  let backend: SandboxBackend
  beforeAll(async () => {
    container = await startContainer()
    engine = await Engine.connect()
    const found = await engine.findContainer(container.id, { signal })
    if (found !== undefined) backend = found.container
  })
  afterAll(async () => {
    engine.close()
    await container.remove({ force: true })
  })

  function supply(maxRestMs = Infinity): ExecPool {
    const place = { backend, user: '4321:4321', directory: '/' }
    return new ExecPool(place, controlledCommand({ isExclusive: true, backend }, 'block'), maxRestMs)
  }

  it('gives what it prepared, once', async () => {
    const execs = supply()
    execs.prepare()
    execs.prepare()
    const [one, two] = [await execs.take(signal), await execs.take(signal)]
    expect(one.runId).not.toBe(two.runId)
    for (const exec of [one, two]) expect(await said(exec)).toBe('here')
  })

  it('gives a new one for one that rested too long', async () => {
    const execs = supply(1)
    execs.prepare()
    await delay(50)
    expect(await said(await execs.take(signal))).toBe('here')
  })

  it('opens none before it is needed, where that is wanted', async () => {
    const before = ((await container.inspect()).ExecIDs ?? []).length
    const execs = supply(0)
    execs.prepare()
    await delay(500)
    expect(((await container.inspect()).ExecIDs ?? []).length).toBeLessThanOrEqual(before)
    expect(await said(await execs.take(signal))).toBe('here')
  })

  it('gives a new one for one that was killed while it waited', async () => {
    const execs = supply()
    execs.prepare()
    // One that is still being opened is not killed.
    await vi.waitFor(async () => expect(await runningExecs(container)).toBe(1), { timeout: 30_000 })
    const killer = supply()
    await run(await killer.take(signal), 'kill -9 -1')
    // The engine tells the end of a process a moment later.
    await vi.waitFor(async () => expect((await container.inspect()).ExecIDs).toBeNull(), { timeout: 30_000 })
    await delay(500)
    expect(await said(await execs.take(signal))).toBe('here')
  })

  it('stops waiting for it when it is aborted', async () => {
    const execs = supply()
    execs.prepare()
    const reason = new Error('changed my mind')
    await expect(execs.take(AbortSignal.abort(reason))).rejects.toThrow('changed my mind')
    const controller = new AbortController()
    const taken = execs.take(controller.signal)
    controller.abort(reason)
    await expect(taken).rejects.toThrow('changed my mind')
    expect(await said(await execs.take(signal))).toBe('here')
  })
})

type OpenExec = Awaited<ReturnType<ExecPool['take']>>

async function runningExecs(container: Awaited<ReturnType<typeof startContainer>>): Promise<number> {
  const engine = await rawEngine()
  const { ExecIDs } = await container.inspect()
  const execs = await Promise.all((ExecIDs ?? []).map((id: string) => engine.getExec(id).inspect()))
  return execs.filter(({ Running }) => Running).length
}

async function startContainer() {
  const engine = await rawEngine()
  const container = await engine.createContainer({
    Image: 'fenced-test/busybox',
    Cmd: ['sleep', '600'],
    HostConfig: { Init: true, NetworkMode: 'none' },
  })
  await container.start()
  return container
}

function said(exec: OpenExec): Promise<string> {
  return run(exec, 'printf here')
}

async function run(opened: OpenExec, program: string): Promise<string> {
  const { stdin } = opened.process
  stdin?.write(`3\n/bin/sh\n-c\n${program}\n`)
  let output = ''
  const process = new SupervisedProcess({
    ...{ backend: {} as SandboxBackend, opened, program: 'sh', hasStdin: false, signal, killGraceMs: 100 },
    output: (_, chunk) => {
      output += Buffer.from(chunk).toString()
    },
    send: async (name) => void stdin?.write(`${name}\n`),
  })
  await process.exited
  return output
}
