import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import Docker from 'dockerode'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Container } from '../../src/container/container.ts'
import type { ContainerProcess } from '../../src/container/container-process.ts'
import { Engine } from '../../src/engine.ts'
import { dockerEngine, image, testImage } from './requirements.fixture.ts'

const signal = AbortSignal.timeout(60_000)

function request() {
  const name = `fenced-test-engine-${randomBytes(6).toString('hex')}`
  return { name, Image: image, Cmd: ['sleep', '600'], HostConfig: { Init: true, AutoRemove: true } }
}

describe.skipIf(dockerEngine.missing || testImage.missing)('an engine', () => {
  let engine: Engine
  let container: Container

  beforeAll(async () => {
    engine = await Engine.connect()
    container = await engine.startContainer(request(), { signal })
  })
  afterAll(async () => {
    await container?.remove()
    engine?.close()
  })

  it('that was given stays open', async () => {
    const borrowed = await Engine.connect(engine)
    borrowed.close()
    expect(borrowed.endpoint).toEqual(engine.endpoint)
    expect(await borrowed.defaultUser({ signal })).toBe(await engine.defaultUser({ signal }))
  })

  it('starts commands with their user, directory, variables and stdin', async () => {
    const script = 'id -u; pwd; echo "$A"; cat; echo to stderr >&2; exit 7'
    const options = { user: '1234', cwd: '/tmp', env: { A: 'b c' }, stdin: true, signal }
    const process = await container.exec(['/bin/sh', '-c', script], options)
    process.stdin?.end('from stdin\n')
    const output = await outputOf(process)
    expect(output).toEqual({ stdout: '1234\n/tmp\nb c\nfrom stdin\n', stderr: 'to stderr\n' })
    await expect.poll(() => process.poll()).toBe(7)
  })

  it('waits for who takes the output, and gives them their own error', async () => {
    const command = ['/bin/sh', '-c', 'for i in 1 2 3; do echo $i; sleep 0.1; done']
    const held = await container.exec(command, { stdin: false, signal })
    let taken = 0
    let isBusy = false
    await held.read(async () => {
      expect(isBusy).toBe(false)
      isBusy = true
      await new Promise((resolve) => setTimeout(resolve, 200))
      isBusy = false
      taken++
    })
    expect(taken).toBeGreaterThan(0)
    const failing = await container.exec(command, { stdin: false, signal })
    const reading = failing.read(() => {
      throw new Error('not interested')
    })
    await expect(reading).rejects.toThrow('not interested')
  })

  it('carries archives in both directions', async () => {
    const archive = pack()
    archive.entry({ name: 'file' }, 'content')
    archive.finalize()
    await container.put('/tmp', Readable.from(archive), { signal })
    expect(await container.has('/tmp/file', { signal })).toBe(true)
    expect(await container.has('/tmp/other', { signal })).toBe(false)
    const got = await container.get('/tmp/file', { signal })
    expect(got === undefined ? '' : (await buffer(got)).toString()).toContain('content')
    expect(await container.get('/tmp/other', { signal })).toBeUndefined()
  })

  it('removes what a process left that ran in a container, once that container has ended', async () => {
    const raw = new Docker()
    const host = await engine.startContainer(request(), { signal })
    const { State } = await raw.getContainer(host.id).inspect()
    const owner = {
      'fenced.owner.process-id': '7',
      'fenced.owner.container': `${host.id}@${State.StartedAt}`,
    }
    const left = await raw.createContainer({ ...request(), Labels: owner })
    await left.start()
    const context = { signal, notice: () => {} }
    await engine.removeLeftovers(context)
    expect(await engine.findContainer(left.id, { signal })).toMatchObject({ isRunning: true })
    await host.remove()
    await engine.removeLeftovers(context)
    expect(await engine.findContainer(left.id, { signal })).toBeUndefined()
  })

  it('says of a container that has ended that it is gone, whatever it is asked for', async () => {
    const other = await engine.startContainer(request(), { signal })
    expect(await other.state()).toBe('running')
    await other.remove()
    await other.remove()
    expect(await other.state()).toBe('ended')
    const gone = { code: 'SANDBOX_GONE', data: { reason: expect.stringContaining(other.id) } }
    await expect(other.exec(['true'], { stdin: false, signal })).rejects.toMatchObject(gone)
    await expect(other.put('/tmp', Readable.from([]), { signal })).rejects.toMatchObject(gone)
    await expect(other.get('/tmp', { signal })).rejects.toMatchObject(gone)
    expect(await engine.findContainer(other.id, { signal })).toBeUndefined()
  })

  it('knows a container that outlives its process by its request', async () => {
    const made = request()
    const kept = await engine.startContainer(made, { signal, outlivesProcess: true })
    try {
      const found = await engine.findContainer(made.name, { signal })
      expect(found).toMatchObject({ isRunning: true, container: { id: kept.id } })
      expect([found?.isMadeFrom(made), found?.isMadeFrom({ ...made, User: '1' })]).toEqual([true, false])
    } finally {
      await kept.remove()
    }
  })

  it('rejects with the reason of a signal', async () => {
    const reason = new Error('changed my mind')
    const aborted = { signal: AbortSignal.abort(reason) }
    await expect(Engine.connect(engine, aborted)).rejects.toBe(reason)
    await expect(container.exec(['true'], { stdin: false, ...aborted })).rejects.toBe(reason)
    await expect(container.get('/tmp', aborted)).rejects.toBe(reason)
    await expect(engine.startContainer(request(), aborted)).rejects.toBe(reason)
  })
})

async function outputOf(process: ContainerProcess): Promise<{ stdout: string; stderr: string }> {
  const output = { stdout: '', stderr: '' }
  await process.read((stream, chunk) => {
    output[stream] += Buffer.from(chunk).toString()
  })
  return output
}
