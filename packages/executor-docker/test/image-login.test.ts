import { chmod } from 'node:fs/promises'
import { delimiter } from 'node:path'
import type { Notice } from '@fenced/core'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { builders } from './builders.ts'
import {
  folderWith,
  type ImageEngine,
  imageEngine,
  provide,
  publish,
  removeImage,
  removeWhenFinished,
  uniqueName,
} from './image-support.ts'
import { type Registry, registryUser, startRegistry } from './registry.ts'
import { docker, dockerRegistry } from './requirements.ts'

describe.skipIf(docker.missing || dockerRegistry.missing)('an image of a registry with a login', () => {
  let engine: ImageEngine
  let registry: Registry
  let image: string

  beforeAll(async () => {
    engine = await imageEngine()
    registry = await startRegistry({ login: true })
    image = `${registry.address}/team/private`
    await publish(engine.docker, image, { login: registryUser })
    return () => registry[Symbol.asyncDispose]()
  })

  afterEach(async () => {
    vi.unstubAllEnvs()
    await removeImage(engine.docker, image)
  })

  it('is pulled with what `docker login` left', async () => {
    await configure({ auths: { [registry.address]: { auth: encoded(registryUser.password) } } })
    const { image: pulled, notices } = await provide({ engine, options: { image } })
    expect(pulled.name).toBe(image)
    expect(notices.filter(({ code }) => code !== 'pull')).toEqual([])
  })

  it('is pulled with what a credential helper knows', async () => {
    await configure({ credHelpers: { [registry.address]: 'test' } })
    await helper(`read -r address
      [ "$1 $address" = "get ${registry.address}" ] || exit 1
      echo '{ "Username": "${registryUser.username}", "Secret": "${registryUser.password}" }'`)
    expect((await provide({ engine, options: { image } })).image.name).toBe(image)
  })

  it('cannot be pulled without, and says what to do', async () => {
    await configure({})
    await expect(provide({ engine, options: { image } })).rejects.toMatchObject({
      code: 'IMAGE_NOT_FOUND',
      data: { registry: registry.address, command: `docker login ${registry.address}` },
    })
  })

  it('cannot be pulled with a wrong password, which is not shown', async () => {
    await configure({ auths: { [registry.address]: { auth: encoded('wrong-horse') } } })
    const error = await provide({ engine, options: { image } }).catch((error) => error)
    expect(error).toMatchObject({
      code: 'IMAGE_NOT_FOUND',
      data: { reason: expect.stringContaining('unauthorized') },
    })
    expect(JSON.stringify([error.message, error.data])).not.toMatch(/wrong-horse|anna/)
  })

  it('tells why a credential helper did not help, but not what it said', async () => {
    await configure({ credsStore: 'test' })
    await helper('echo secret-of-mine; echo secret-of-mine >&2; exit 2')
    const told: Notice[] = []
    const onNotice = (notice: Notice) => told.push(notice)
    const error = await provide({ engine, options: { image }, onNotice }).catch((error) => error)
    expect(error).toMatchObject({
      code: 'IMAGE_NOT_FOUND',
      data: { program: 'docker-credential-test', exitCode: '2' },
    })
    expect(told).toContainEqual({
      code: 'credentials',
      message: expect.any(String),
      data: { registry: registry.address, program: 'docker-credential-test', exitCode: '2' },
    })
    expect(JSON.stringify([told, error.message, error.data, error.stack])).not.toContain('secret-of-mine')
  })

  describe.each(builders)('with $name', ({ variables }) => {
    it('is the base of a build', async () => {
      await configure({ auths: { [registry.address]: { auth: encoded(registryUser.password) } } })
      const context = await folderWith({ Dockerfile: `FROM ${image}\nRUN echo ${uniqueName()}\n` })
      const builder = await imageEngine(variables)
      const { image: built } = await provide({ engine: builder, options: { build: { context } } })
      removeWhenFinished(engine.docker, built.id)
    })

    it('is no base of a build without a login', async () => {
      await configure({})
      const context = await folderWith({ Dockerfile: `FROM ${image}\n` })
      const builder = await imageEngine(variables)
      await expect(provide({ engine: builder, options: { build: { context } } })).rejects.toMatchObject({
        code: 'BUILD_FAILED',
        data: { output: expect.stringMatching(/no basic auth credentials|401 Unauthorized/) },
      })
    })
  })
})

async function configure(config: unknown): Promise<void> {
  vi.stubEnv('DOCKER_CONFIG', await folderWith({ 'config.json': JSON.stringify(config) }))
}

/** Puts a credential helper, a program of the shell, on the PATH. */
async function helper(script: string): Promise<void> {
  const folder = await folderWith({ 'docker-credential-test': `#!/bin/sh\n${script}\n` })
  await chmod(`${folder}/docker-credential-test`, 0o755)
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`)
}

function encoded(password: string): string {
  return Buffer.from(`${registryUser.username}:${password}`).toString('base64')
}
