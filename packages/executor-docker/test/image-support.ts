import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Notice } from '@fenced/core'
import {
  Engine,
  type EngineConnection,
  type ImageSettings,
  imageOptionsShape,
  type ProvidedImage,
} from '@fenced/sandbox-docker'
import Docker from 'dockerode'
import { pack } from 'tar-stream'
import { onTestFinished, vi } from 'vitest'
import { z } from 'zod'

const schema = z.strictObject(imageOptionsShape)

/** An engine, and the dockerode that it uses. */
export interface ImageEngine {
  readonly engine: Engine
  readonly docker: Docker
}

/** How an image is to be provided, beside its options. */
export interface Provision {
  readonly engine: ImageEngine
  readonly options: z.input<typeof schema>
  readonly signal?: AbortSignal
  onNotice?(notice: Notice): void
  onMade?(imageId: string): void
  /** Of the container in which packages are installed. */
  readonly limits?: Partial<Pick<ImageSettings, 'memoryBytes' | 'cpus' | 'pids'>>
}

/** The engine of the tests, with variables for the commands that it runs. */
export async function imageEngine(
  variables: Readonly<NodeJS.ProcessEnv> = {},
  docker?: EngineConnection,
): Promise<ImageEngine> {
  const environment = environmentWith(variables)
  const engine = await Engine.connect(docker, { environment })
  return { engine, docker: await dockerodeOf(engine) }
}

/** What a test changes in its environment later is seen as well. An object with `process.env` as its prototype lists old names. */
function environmentWith(variables: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv {
  const now = () => ({ ...process.env, ...variables })
  return new Proxy<NodeJS.ProcessEnv>(
    {},
    {
      get: (_, name) => now()[String(name)],
      ownKeys: () => Object.keys(now()),
      getOwnPropertyDescriptor: (_, name) => Object.getOwnPropertyDescriptor(now(), name),
    },
  )
}

async function dockerodeOf(engine: Engine): Promise<Docker> {
  const { signal } = new AbortController()
  const getContainer = vi.spyOn(Docker.prototype, 'getContainer')
  try {
    await engine.findContainer(uniqueName(), { signal })
    return getContainer.mock.contexts[0] as Docker
  } finally {
    getContainer.mockRestore()
  }
}

/** Provides an image as an executor would; the notices are whole. */
export async function provide(provision: Provision): Promise<{ image: ProvidedImage; notices: Notice[] }> {
  const { engine, options, limits, signal = new AbortController().signal, onNotice, onMade } = provision
  const notices: Notice[] = []
  const notice = (notice: Notice) => {
    notices.push(notice)
    onNotice?.(notice)
  }
  const settings = { ...schema.parse(options), ...limits, onMade }
  const image = await engine.engine.provideImage(settings, { signal, notice })
  return { image, notices }
}

/** A name for an image or a label that no other test has. */
export function uniqueName(): string {
  return `fenced-test-image-${randomBytes(6).toString('hex')}`
}

/** A folder with these files, until the test has finished. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fenced-image-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

/** Removes an image when the test has finished, if it is there. */
export function removeWhenFinished(docker: Docker, name: string): void {
  onTestFinished(() => removeImage(docker, name))
}

export async function removeImage(docker: Docker, name: string): Promise<void> {
  await docker
    .getImage(name)
    .remove({ force: true })
    .catch((error: { statusCode?: number }) => {
      if (error.statusCode !== 404) throw error
    })
}

/** Builds an image, without the code under test. */
export async function makeImage(
  docker: Docker,
  name: string,
  files: Readonly<Record<string, string | Buffer>>,
) {
  const context = pack()
  for (const [file, content] of Object.entries(files)) context.entry({ name: file }, content)
  context.finalize()
  const stream = await docker.buildImage(context as unknown as NodeJS.ReadableStream, {
    t: name,
    rm: true,
    forcerm: true,
  })
  await untilDone(docker, stream)
}

/** Puts an image with a layer of its own into a registry, and removes it from the engine. */
export async function publish(
  docker: Docker,
  name: string,
  { megabytes = 1, login = {} } = {},
): Promise<void> {
  await makeImage(docker, name, {
    Dockerfile: 'FROM fenced-test/busybox\nCOPY content /content\n',
    content: randomBytes(megabytes * 1e6),
  })
  await untilDone(docker, await docker.getImage(name).push({ authconfig: login }))
  await removeImage(docker, name)
}

async function untilDone(docker: Docker, stream: NodeJS.ReadableStream): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve()))
  })
}
