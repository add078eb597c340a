import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { DockerJupyterServer, type DockerJupyterServerOptions } from '@fenced/executor-jupyter/docker'
import Docker from 'dockerode'
import { describe, expect, onTestFinished, test } from 'vitest'
import { docker, pythonImage } from './docker.ts'
import { failure } from './faults/failure.ts'

const notFrames =
  'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nThis is no stream of frames.'
const refusal = 'HTTP/1.1 500 So\r\nContent-Length: 36\r\n\r\n{ "message": "the disk is on fire" }'
const silence = ''

/** The address of an engine that gives other answers than the real one to some requests. */
async function engineWithAnswers(answers: readonly (readonly [request: RegExp, answer: string])[]) {
  const path = new URL(process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock').pathname
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const engine = connect(path)
    for (const socket of [client, engine]) sockets.add(socket.on('error', () => {}))
    client.on('close', () => engine.destroy())
    engine.on('close', () => client.destroy())
    engine.on('data', (bytes) => client.write(bytes))
    let isSilent = false
    client.on('data', (bytes) => {
      // What comes behind a request that is not answered belongs to it.
      if (isSilent) return
      const head = bytes.toString('latin1')
      const [, answer] = answers.find(([request]) => request.test(head)) ?? []
      isSilent = answer === silence
      if (answer === undefined) engine.write(bytes)
      else client.write(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.skipIf(docker.missing)('a container that cannot be attached to', () => {
  const engine = new Docker()

  async function serverOf(answer: string, options: DockerJupyterServerOptions = {}) {
    const docker = await engineWithAnswers([[/^POST \/containers\/[^/]+\/attach/, answer]])
    return new DockerJupyterServer({ image: pythonImage, docker, ...options })
  }

  function containers() {
    const ours = { label: [`fenced.owner.process-id=${process.pid}`] }
    return engine.listContainers({ all: true, filters: ours })
  }

  test.each<[what: string, answer: string, options: DockerJupyterServerOptions, data: object]>([
    ['other bytes than frames', notFrames, {}, { image: pythonImage }],
    ['a refusal', refusal, {}, { reason: 'the disk is on fire' }],
    ['nothing', silence, { startTimeoutMs: 2_000 }, { limitMs: '2000' }],
  ])('gives an error that says so: %s', async (_, answer, options, data) => {
    const server = await serverOf(answer, options)
    const error = await failure(server.connect())
    expect(error).toMatchObject({ code: 'JUPYTER_START_FAILED', data })
    expect(await containers()).toEqual([])
    await server.stop()
  })

  test('is given up when the start is cancelled, and removed', async () => {
    const server = await serverOf(silence)
    const controller = new AbortController()
    const reason = new Error('changed my mind')
    const started = server.connect({ signal: controller.signal })
    started.catch(() => {})
    await expect.poll(containers, { timeout: 60_000 }).toMatchObject([{ State: 'running' }])
    controller.abort(reason)
    await expect(started).rejects.toBe(reason)
    await expect.poll(containers, { timeout: 60_000 }).toEqual([])
    await server.stop()
  })
})
