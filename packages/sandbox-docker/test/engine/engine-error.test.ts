import { readFile } from 'node:fs/promises'
import { FencedError } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { connectEngine, dockerodeOver } from '../../src/engine/connect-engine.ts'
import { EngineAnswerError } from '../../src/engine/engine-answer.ts'
import { engineError } from '../../src/engine/engine-error.ts'
import { hostEnvironment } from '../../src/engine/host-environment.ts'
import { openTransport } from '../../src/engine/transport.ts'
import { dockerEngine } from './requirements.fixture.ts'
import { onSocket, pong } from './server.fixture.ts'

const endpoint = { address: 'unix:///run/docker.sock', origin: 'DOCKER_HOST', isLocal: true }
const told = (error: unknown) => engineError(error, 'starting a container', endpoint) as FencedError

describe('what the engine says', () => {
  it.skipIf(dockerEngine.missing)('is repeated, with what was going on and where', async () => {
    const { docker, endpoint, close } = await connectEngine(undefined)
    const error = await docker
      .getContainer('nobody')
      .start()
      .catch((reason) => reason)
    close()
    expect(engineError(error, 'starting a container', endpoint)).toMatchObject({
      code: 'ENGINE_FAILED',
      data: {
        engine: endpoint.address,
        origin: 'DOCKER_HOST',
        reason: 'No such container: nobody',
        command: 'docker info',
      },
      cause: error,
    })
  })

  it('is found in an error without JSON as well', () => {
    const error = new EngineAnswerError(404, 'no such container', 'Could not find the file. ')
    expect(told(error)).toMatchObject({ code: 'ENGINE_FAILED', data: { reason: 'Could not find the file' } })
  })

  it('may be that its disk is full', () => {
    const error = new EngineAnswerError(
      500,
      'server error',
      '{"message":"write /a: no space left on device"}',
    )
    expect(told(error)).toMatchObject({
      code: 'DISK_FULL',
      data: { reason: 'write /a: no space left on device', command: 'docker system df' },
    })
  })
})

describe('an engine that is lost', () => {
  it('in the middle of an answer', async () => {
    const address = await onSocket((request, response) => {
      if (request.url === '/_ping') pong(request, response)
      else response.writeHead(200, { 'Content-Length': 100 }).write('{', () => response.destroy())
    })
    const { docker, close } = await connectEngine(address)
    const error = await docker.info().catch((reason) => reason)
    close()
    expect(told(error).code).toBe('ENGINE_LOST')
  })

  it('before a request', async () => {
    const address = await onSocket((request, response) => {
      if (request.url === '/_ping') pong(request, response)
      else request.socket.destroy()
    })
    const { docker, close } = await connectEngine(address)
    const error = await docker.info().catch((reason) => reason)
    close()
    expect(told(error).code).toBe('ENGINE_LOST')
  })

  it('and does not come back', async () => {
    const docker = dockerodeOver(
      openTransport({ ...endpoint, address: 'tcp://localhost:1' }, hostEnvironment()),
      1_000,
    )
    const error = await docker.info().catch((reason) => reason)
    expect(told(error)).toMatchObject({
      code: 'ENGINE_LOST',
      data: { fault: 'dead', command: 'docker version' },
    })
  })

  it.each(['ENOENT', 'ENOTFOUND'])('for good: %s', (code) => {
    const error = Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' })
    expect(told(error).code).toBe('ENGINE_LOST')
  })

  it('is not one that a file of ours is missing for', async () => {
    const error = await readFile('/not/there').catch((reason) => reason)
    expect(told(error)).toBe(error)
  })

  it('is not one under which our own code fails', () => {
    const error = new TypeError('undefined is not a function')
    expect(told(error)).toBe(error)
  })

  it('to this user', () => {
    const error = Object.assign(new Error('connect EACCES'), { code: 'EACCES', syscall: 'connect' })
    expect(told(error)).toMatchObject({
      code: 'ENGINE_UNREACHABLE',
      data: { fault: 'denied', command: 'sudo usermod -aG docker $USER' },
    })
  })
})

describe('an error that is none of the engine', () => {
  it.each([
    ['FencedError', new FencedError({ code: 'IMAGE_MISSING', message: 'Pull it.' })],
    ['AbortError', new DOMException('enough', 'AbortError')],
  ])('passes: %s', (_name, error) => {
    expect(told(error)).toBe(error)
  })
})
