import { Agent } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { inspect } from 'node:util'
import Docker from 'dockerode'
import { describe, expect, it } from 'vitest'
import { agentForModem } from './modem-agent.ts'
import { dockerEngine, dockerHost, image, testImage } from './requirements.fixture.ts'
import { onSocket } from './server.fixture.ts'

const agent = () => agentForModem(new Agent({ keepAlive: true }))
const over = (address: string, agent: Agent) => {
  const options = { socketPath: address.replace('unix://', ''), agent }
  return new Docker({ host: undefined, ...options })
}

describe('an answer that is cut in the middle', () => {
  const cut = () =>
    onSocket((_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('{', () => response.destroy())
    })

  it('fails its call', async () => {
    const docker = over(await cut(), agent())
    await expect(docker.info()).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('fails its stream, once', async () => {
    const docker = over(await cut(), agent())
    const stream = await docker.getContainer('any').logs({ follow: true, stdout: true })
    await expect(buffer(stream)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })
})

it('is not written out with all of its connections, as docker-modem would at each request', () => {
  const options = { agent: agent() }
  expect(inspect(options, { showHidden: true, depth: null })).toBe('{ agent: [Agent] }')
})

describe.skipIf(dockerEngine.missing || testImage.missing)('a real engine', () => {
  it('keeps no connection of an exec that it refuses', async () => {
    const kept = agent()
    const docker = over(dockerHost, kept)
    const container = await docker.createContainer({ Image: image, Cmd: ['sleep', '60'] })
    try {
      const exec = docker.getExec('0'.repeat(64))
      await expect(exec.start({ hijack: true, stdin: true })).rejects.toMatchObject({ statusCode: 404 })
      await docker.ping()
      expect(Object.values(kept.sockets).flat()).toHaveLength(0)
    } finally {
      await container.remove({ force: true })
    }
  })
})
