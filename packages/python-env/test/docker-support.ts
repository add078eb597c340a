import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StartOptions } from '@fenced/core'
import { DockerPythonEnvironment, type DockerPythonEnvironmentOptions } from '@fenced/python-env/docker'
import { Engine, imageOptionsShape } from '@fenced/sandbox-docker'
import { requirement } from '@fenced/testing'
import Docker from 'dockerode'
import { z } from 'zod'
import { makeWheels, python } from './support.ts'

const publicImage = 'fenced-test/python'

/** An engine with the images of the tests. */
export const docker = requirement('docker', python.missing ? 'python3 makes wheels' : await problem())

async function problem(): Promise<string | undefined> {
  try {
    await new Docker().getImage(publicImage).inspect()
  } catch (error) {
    return `there is no engine with the image ${publicImage} (${error})`
  }
}

/** An image with packages to install, so that no network is needed, and whatever is made from it. */
export class TestImage {
  /** The engine, to look behind an environment's back. */
  readonly docker = new Docker()
  readonly name: string
  /** Bears a label that images and containers inherit. */
  readonly label: string

  private constructor(name: string) {
    this.name = name
    this.label = `fenced.test.image=${name}`
  }

  static async make(): Promise<TestImage> {
    const image = new TestImage(`fenced-test-env-${randomBytes(6).toString('hex')}`)
    const { path } = await makeWheels()
    const [name, value] = image.label.split('=')
    await writeFile(
      join(path, 'Dockerfile'),
      `FROM ${publicImage}\nCOPY *.whl *.gz /wheels/\nLABEL ${name}=${value}\n`,
    )
    const options = { image: image.name, build: { context: path } }
    await using engine = await Engine.connect()
    await engine.provideImage(z.object(imageOptionsShape).parse(options), {
      signal: AbortSignal.timeout(60_000),
      notice: () => {},
    })
    await rm(path, { recursive: true })
    return image
  }

  /** An environment with this image, and packages without a network. */
  environment(options: DockerPythonEnvironmentOptions = {}): DockerPythonEnvironment {
    return new DockerPythonEnvironment({
      ...(options.build === undefined ? { image: this.name } : {}),
      installNetwork: 'none',
      installEnv: { PIP_NO_INDEX: '1', PIP_FIND_LINKS: '/wheels' },
      ...options,
    })
  }

  /** Ids of the images that were made from it, and of itself. */
  async images(): Promise<string[]> {
    const all = await this.docker.listImages({ filters: { label: [this.label] } })
    return all.map(({ Id }) => Id).sort()
  }

  /** Names of the containers that were made from it, whatever their state. */
  async containers(): Promise<string[]> {
    const all = await this.docker.listContainers({ all: true, filters: { label: [this.label] } })
    return all.flatMap(({ Names }) => Names)
  }

  /** Removes it and everything that was made from it. */
  async remove(): Promise<void> {
    const own = (await this.docker.getImage(this.name).inspect()).Id
    const others = (await this.images()).filter((id) => id !== own)
    // One that is below another one goes with it, or after it.
    for (let round = 0; round < 3; round++) {
      for (const id of others) {
        await this.docker
          .getImage(id)
          .remove({ force: true })
          .catch(() => {})
      }
    }
    await this.docker.getImage(own).remove({ force: true })
  }
}

/** Collects the codes of what somebody who waits is told. */
export function heard(): { readonly codes: string[]; readonly options: StartOptions } {
  const codes: string[] = []
  return { codes, options: { onNotice: ({ code }) => codes.push(code) } }
}
