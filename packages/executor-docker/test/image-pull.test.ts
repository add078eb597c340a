import type { Notice } from '@fenced/core'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type ImageEngine,
  imageEngine,
  makeImage,
  provide,
  publish,
  removeImage,
  removeWhenFinished,
  uniqueName,
} from './image-support.ts'
import { openWay, type Registry, startRegistry } from './registry.ts'
import { docker, dockerRegistry } from './requirements.ts'

const missing = docker.missing || dockerRegistry.missing

describe.skipIf(missing)('an image of a registry', () => {
  let engine: ImageEngine
  let registry: Registry
  let image: string

  beforeAll(async () => {
    engine = await imageEngine()
    registry = await startRegistry()
    image = `${registry.address}/team/image:1`
    await publish(engine.docker, image)
    return async () => {
      await removeImage(engine.docker, image)
      await registry[Symbol.asyncDispose]()
    }
  })

  it('is pulled when it is missing, and only then', async () => {
    const first = await provide({ engine, options: { image } })
    expect(first.image).toMatchObject({
      id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      name: image,
      config: { user: '', workingDir: '', entrypoint: [] },
    })
    expect(first.notices.map(({ code }) => code)).toEqual(first.notices.map(() => 'pull'))
    expect(first.notices.at(0)?.data).toEqual({ image })
    const last = first.notices.at(-1)?.data
    expect(last).toMatchObject({
      image,
      layers: '2',
      layersDone: '2',
      bytes: expect.stringMatching(/^[1-9]/),
    })
    expect(last?.bytes).toBe(last?.bytesTotal)
    const second = await provide({ engine, options: { image } })
    expect(second).toEqual({ image: first.image, notices: [] })
  })

  it('is looked up again with pull: always, and a new one is taken', async () => {
    const name = `${registry.address}/team/changing`
    removeWhenFinished(engine.docker, name)
    await publish(engine.docker, name)
    const first = await provide({ engine, options: { image: name } })
    const again = await provide({ engine, options: { image: name, pull: 'always' } })
    expect(again.image).toEqual(first.image)
    expect(again.notices.at(-1)).toMatchObject({ code: 'pull', data: { image: `${name}:latest` } })
    expect(again.notices.at(-1)?.data).not.toHaveProperty('layers')
    await publish(engine.docker, name)
    const { image } = await provide({ engine, options: { image: name, pull: 'always' } })
    expect(image.id).not.toBe(first.image.id)
    await removeImage(engine.docker, first.image.id)
  })

  it('is never pulled with pull: never', async () => {
    await removeImage(engine.docker, image)
    await expect(provide({ engine, options: { image, pull: 'never' } })).rejects.toMatchObject({
      code: 'IMAGE_NOT_FOUND',
      data: { image, option: 'pull' },
    })
  })

  it('is found by its digest, and by the id that it has here', async () => {
    const { image: pulled } = await provide({ engine, options: { image } })
    const { RepoDigests } = await engine.docker.getImage(image).inspect()
    await removeImage(engine.docker, image)
    const digest = RepoDigests[0] ?? ''
    removeWhenFinished(engine.docker, digest)
    expect((await provide({ engine, options: { image: digest } })).image).toMatchObject({
      id: pulled.id,
      name: digest,
    })
    for (const name of [pulled.id, pulled.id.slice(7, 19)]) {
      expect((await provide({ engine, options: { image: name } })).image.id).toBe(pulled.id)
    }
  })

  it('cannot be pulled by an id', async () => {
    const id = `sha256:${'0'.repeat(64)}`
    await expect(provide({ engine, options: { image: id } })).rejects.toMatchObject({
      code: 'IMAGE_NOT_FOUND',
      data: { image: id, option: 'image' },
    })
  })

  it.each(['team/image:other', 'team/nothing'])('says that there is no %s', async (name) => {
    await expect(
      provide({ engine, options: { image: `${registry.address}/${name}` } }),
    ).rejects.toMatchObject({
      code: 'IMAGE_NOT_FOUND',
      data: {
        registry: registry.address,
        reason: expect.stringContaining('unknown'),
        command: `docker login ${registry.address}`,
      },
    })
  })

  it('says that the registry cannot be reached', async () => {
    const gone = await startRegistry()
    await gone[Symbol.asyncDispose]()
    await expect(provide({ engine, options: { image: `${gone.address}/image` } })).rejects.toMatchObject({
      code: 'PULL_FAILED',
      data: {
        registry: gone.address,
        reason: expect.stringContaining('connection refused'),
        command: 'docker load',
      },
    })
  })

  it.each([undefined, 'never', 'always'] as const)(
    'must be for the platform, with pull: %s',
    async (pull) => {
      await provide({ engine, options: { image, platform: 'linux/amd64' } })
      const options = { image, platform: 'linux/s390x', ...(pull === undefined ? {} : { pull }) }
      await expect(provide({ engine, options })).rejects.toMatchObject({ code: 'WRONG_PLATFORM' })
    },
  )

  it('tells how far it has come while it is pulled', async () => {
    await using way = await openWay(registry)
    const name = `${way.address}/team/large:1`
    removeWhenFinished(engine.docker, name)
    await publish(engine.docker, name, { megabytes: 4 })
    way.limit = { bytes: 2e6, end: 'slow' }
    const controller = new AbortController()
    const seen = vi.fn()
    const onNotice = ({ data: { bytes, bytesTotal } = {} }: Notice) => {
      if (!(Number(bytes) > 0 && Number(bytes) < Number(bytesTotal))) return
      seen()
      controller.abort(new Error('seen enough'))
    }
    const patience = setTimeout(() => controller.abort(new Error('nothing was said')), 30_000)
    await provide({ engine, options: { image: name }, signal: controller.signal, onNotice }).catch(() => {})
    clearTimeout(patience)
    expect(seen).toHaveBeenCalled()
  })

  it('is left alone at once when it is cancelled, by us and by the engine', async () => {
    await using way = await openWay(registry)
    const name = `${way.address}/team/stalled:1`
    removeWhenFinished(engine.docker, name)
    await publish(engine.docker, name, { megabytes: 8 })
    way.limit = { bytes: 1e6, end: 'slow' }
    const controller = new AbortController()
    const reason = new Error('changed my mind')
    const provided = provide({ engine, options: { image: name }, signal: controller.signal })
    setTimeout(() => controller.abort(reason), 1_000)
    await expect(provided).rejects.toBe(reason)
    await vi.waitFor(() => expect(way.connections).toBe(0), { timeout: 120_000 })
    await vi.waitFor(() => expect(openRequests(engine)).toBe(0), { timeout: 120_000 })
    // What was left of it does no harm.
    way.limit = undefined
    expect((await provide({ engine, options: { image: name } })).image.name).toBe(name)
  })

  it('is pulled although the connection breaks once', { tags: 'nightly', timeout: 120_000 }, async () => {
    await using way = await openWay(registry)
    const name = `${way.address}/team/broken:1`
    removeWhenFinished(engine.docker, name)
    await publish(engine.docker, name, { megabytes: 2 })
    way.limit = { bytes: 1e6, end: 'cut' }
    const provided = provide({ engine, options: { image: name } })
    await vi.waitFor(() => expect(way.cuts).toBeGreaterThan(0), { timeout: 120_000 })
    way.limit = undefined
    expect((await provided).image.name).toBe(name)
  })

  it('fails when the connection breaks again and again', { timeout: 180_000 }, async () => {
    await using way = await openWay(registry)
    const name = `${way.address}/team/broken:2`
    removeWhenFinished(engine.docker, name)
    await publish(engine.docker, name, { megabytes: 2 })
    // Not even its description comes through.
    way.limit = { bytes: 100, end: 'cut' }
    await expect(provide({ engine, options: { image: name } })).rejects.toMatchObject({ code: 'PULL_FAILED' })
  })
})

describe.skipIf(docker.missing)('an image that the engine has', () => {
  it('is told with what it brings along', async () => {
    const engine = await imageEngine()
    const name = uniqueName()
    removeWhenFinished(engine.docker, name)
    await makeImage(engine.docker, name, {
      Dockerfile:
        'FROM fenced-test/busybox\nENV A="b=c" EMPTY=\nUSER 1000:1000\nWORKDIR /srv\nENTRYPOINT ["/bin/sh", "-c"]\nCMD ["true"]\n',
    })
    const { image, notices } = await provide({ engine, options: { image: name } })
    expect(notices).toEqual([])
    expect(image).toMatchObject({
      name,
      config: {
        user: '1000:1000',
        env: { A: 'b=c', EMPTY: '', PATH: expect.any(String) },
        workingDir: '/srv',
        entrypoint: ['/bin/sh', '-c'],
        command: ['true'],
      },
      architecture: expect.stringMatching(/^\w+$/),
    })
  })

  it('is not looked for when it is cancelled before', async () => {
    const engine = await imageEngine()
    const reason = new Error('changed my mind')
    const signal = AbortSignal.abort(reason)
    await expect(provide({ engine, options: { image: 'fenced-test/busybox' }, signal })).rejects.toBe(reason)
  })
})

/** Requests to the engine that have not come to their end. */
function openRequests({ docker }: ImageEngine): number {
  const { agent } = docker.modem as unknown as { agent: { sockets: Record<string, unknown[]> } }
  return Object.values(agent.sockets).flat().length
}
