// @module-tag all

import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Container } from '../../src/container/container.ts'
import { connectEngine, type EngineAccess } from '../../src/engine/connect-engine.ts'
import { Engine } from '../../src/engine.ts'
import { onSocket, pong } from './server.fixture.ts'

const signal = AbortSignal.timeout(60_000)

interface Connected {
  readonly engine: Engine
  readonly access: EngineAccess
  readonly container: Container
}

/** An engine that says who it is when it is connected, and then answers as the test says. */
async function engineThat(answers: RequestListener, answerTimeoutMs = 60_000): Promise<Connected> {
  let answer = pong
  const address = await onSocket((request, response) => answer(request, response))
  const engine = await Engine.connect(address, { answerTimeoutMs })
  const access = await connectEngine(address, { answerTimeoutMs })
  answer = answers
  onTestFinished(() => {
    engine.close()
    access.close()
  })
  return { engine, access, container: new Container({ engine: access, id: 'any', origin: undefined }) }
}

describe('an answer that is cut in the middle', () => {
  const cut: RequestListener = (_, response) => {
    response.writeHead(200, { 'Content-Length': 100 }).write('{', () => response.destroy())
  }

  it('fails its call', async () => {
    const { access } = await engineThat(cut)
    await expect(access.docker.info()).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('fails its stream, once', async () => {
    const { access } = await engineThat(cut)
    const stream = await access.docker.getContainer('any').logs({ follow: true, stdout: true })
    await expect(buffer(stream)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })
})

describe('an engine that takes requests', () => {
  const never: RequestListener = () => {}
  const halfway: RequestListener = (_, response) => void response.writeHead(200).write('{"a"')
  const context = { signal, notice: () => {} }

  type Ask = (connected: Connected) => Promise<unknown>
  const questions: readonly [question: string, ask: Ask][] = [
    ['GET /_ping', ({ engine }) => engine.ping({ signal })],
    ['GET /info', ({ engine }) => engine.defaultUser({ signal })],
    ['GET /version', ({ access }) => access.docker.version()],
    ['GET /images/any/json', ({ engine }) => engine.hasImage('any', { signal })],
    [
      'GET /images/any/json',
      ({ engine }) => engine.provideImage({ image: 'any', packages: [] } as never, context),
    ],
    ['GET /images/any/json', ({ engine }) => engine.findImage({ reference: 'any' } as never, { signal })],
    ['GET /images/json', ({ access }) => access.docker.listImages()],
    ['GET /containers/any/json', ({ engine }) => engine.findContainer('any', { signal })],
    ['GET /containers/json', ({ engine }) => engine.removeLeftovers(context)],
    ['GET /containers/any/json', ({ container }) => container.limits({ signal })],
    ['POST /containers/any/exec', ({ container }) => container.exec(['true'], { stdin: true, signal })],
    ['GET /exec/any/json', ({ access }) => access.docker.getExec('any').inspect()],
  ]
  const starts: typeof questions = [
    ['HEAD /containers/any/archive', ({ container }) => container.has('/tmp', { signal })],
    ['POST /containers/any/attach', ({ container }) => container.hold({ signal })],
    ['POST /exec/any/start', ({ access }) => access.docker.getExec('any').start({ hijack: true })],
  ]
  const works: typeof questions = [
    ['GET /containers/any/archive', ({ container }) => container.get('/tmp', { signal })],
    ['PUT /containers/any/archive', ({ container }) => container.put('/', Readable.from(['x']), { signal })],
    ['POST /images/create', ({ access }) => access.docker.createImage({ fromImage: 'any' })],
    ['POST /containers/create', ({ access }) => access.docker.createContainer({ name: 'any' })],
    ['POST /containers/any/start', ({ access }) => access.docker.getContainer('any').start()],
    ['POST /commit', ({ access }) => access.docker.getContainer('any').commit({})],
    ['DELETE /images/any', ({ engine }) => engine.removeImage('any')],
    ['DELETE /containers/any', ({ access }) => access.docker.getContainer('any').remove()],
  ]

  it('and never answers: each request fails, and names itself', ({ everyRow }) =>
    everyRow([...questions, ...starts], async (question, ask) => {
      const error = await refusalOf(ask(await engineThat(never, 40)))
      expect(valuesOf(error)).toMatchObject({ request: question, limitMs: '40' })
    }))

  it('and never ends an answer: each request fails, and names itself', ({ everyRow }) =>
    everyRow(questions, async (question, ask) => {
      const error = await refusalOf(ask(await engineThat(halfway, 40)))
      expect(valuesOf(error)).toMatchObject({ request: question, limitMs: '40' })
    }))

  it('and never answers: each request that works has ten times as long', ({ everyRow }) =>
    everyRow(works, async (question, ask) => {
      const error = await refusalOf(ask(await engineThat(never, 10)))
      expect(valuesOf(error)).toMatchObject({ request: question, limitMs: '100' })
    }))

  it('and never answers: the error names the engine', async () => {
    const connected = await engineThat(never, 40)
    const error = await refusalOf(connected.engine.hasImage('any', { signal }))
    expect(error).toMatchObject({
      code: 'ENGINE_LOST',
      data: { engine: connected.access.endpoint.address, fault: 'silent' },
    })
  })

  it('and never answers about an image: a signal ends the wait', async () => {
    const asked = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const { engine } = await engineThat((request) => {
      asked.resolve()
      request.once('close', closed.resolve)
    })
    const controller = new AbortController()
    const reason = new Error('changed my mind')
    const found = engine.hasImage('any', { signal: controller.signal })
    await asked.promise
    controller.abort(reason)
    await expect(found).rejects.toBe(reason)
    await closed.promise
  })
})

describe('the time for which an engine waits for this process', () => {
  it('does not count while an answer is not read', async () => {
    const content = Buffer.alloc(4_000_000, 'x')
    const { container } = await engineThat((_, response) => response.end(content), 10)
    const archive = await container.get('/any', { signal })
    await delay(500)
    expect(archive && (await buffer(archive)).length).toBe(content.length)
  })

  it('does not count while the content of an archive is slow to come', async () => {
    const { container } = await engineThat((request, response) => {
      void text(request).then(() => response.end())
    }, 10)
    async function* slow() {
      yield 'begin'
      await delay(500)
      yield 'end'
    }
    await container.put('/', Readable.from(slow()), { signal })
  })

  it('does not count while a program writes nothing', async () => {
    const { access } = await engineThat((_, response) => {
      response.writeHead(200).flushHeaders()
      setTimeout(() => response.end('said'), 500)
    }, 50)
    expect(await text(await access.docker.getExec('any').start({}))).toBe('said')
  })
})

it.each(['text/plain', 'application/json'])(
  'the error of a refusal without end is short: %s',
  async (type) => {
    const { engine } = await engineThat((_, response) => {
      response.writeHead(500, { 'Content-Type': type })
      const chunk = Buffer.alloc(100_000, 'x')
      const next = () => void (response.destroyed || response.write(chunk, next))
      response.write('{"message":"', next)
    })
    const { message, cause } = await refusalOf(engine.hasImage('any', { signal }))
    expect(message.length).toBeLessThan(20_000)
    expect((cause as Error).message.length).toBeLessThan(100_000)
  },
)

it('an answer of a proxy that knows no such page is not that a container is gone', async () => {
  const { engine, container } = await engineThat((_, response) => {
    response.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>Not found</h1>')
  })
  await expect(engine.findContainer('any', { signal })).rejects.toMatchObject({ code: 'ENGINE_FAILED' })
  await expect(container.get('/any', { signal })).rejects.toMatchObject({ code: 'ENGINE_FAILED' })
  expect(await container.state()).toBe('unknown')
})

async function refusalOf(promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    (value) => new Error(`It resolved with ${value}.`),
    (reason: unknown) => reason,
  )
  return error as Error
}

/** The data of an error of ours, or of the fault below dockerode. */
function valuesOf(error: Error): unknown {
  return (error as { data?: unknown }).data
}
