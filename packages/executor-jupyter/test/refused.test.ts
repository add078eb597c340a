// @module-tag all

import { JupyterCodeExecutor, type JupyterExecutorOptions } from '@fenced/executor-jupyter'
import { certificateFile } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findFreePort } from '../src/server/free-port.ts'
import { type Certificate, makeCertificate } from './faults/certificates.ts'
import { failure } from './faults/failure.ts'
import { answerAlways, listen, terminateTls } from './faults/listener.ts'
import { RemoteServer, serverArguments } from './faults/remote-server.ts'
import { jupyter, run } from './support.ts'

const token = 'remote-token-1d7c'

/** What a start comes to that cannot work; the token is in no message. */
async function startError(server: object, options: JupyterExecutorOptions = {}) {
  await using executor = new JupyterCodeExecutor({
    server: { host: '127.0.0.1', token, ...server },
    ...options,
  })
  const error = await failure(executor.start())
  expect(JSON.stringify([error.message, error.data])).not.toContain(token)
  expect(String(error.cause)).not.toContain(token)
  return error
}

describe('an address that leads to no Jupyter server', () => {
  test('because its answer has no end', async () => {
    let sent = 0
    using endless = await listen((socket) => {
      const chunk = Buffer.alloc(65_536, 'x')
      const write = () => {
        while (!socket.destroyed) {
          sent += chunk.length
          if (!socket.write(chunk)) return
        }
      }
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.on('drain', write)
        write()
      })
    })
    const error = await startError({ port: endless.port })
    expect(error.code).toBe('JUPYTER_UNREACHABLE')
    expect(error.data).toMatchObject({ url: `http://127.0.0.1:${endless.port}/` })
    expect(sent).toBeLessThan(64 * 2 ** 20)
  })

  test('because nothing listens there', async () => {
    const port = await findFreePort('127.0.0.1')
    const error = await startError({ port })
    expect(error.code).toBe('JUPYTER_UNREACHABLE')
    expect(error.data).toEqual({
      url: `http://127.0.0.1:${port}/`,
      reason: 'ECONNREFUSED',
      option: 'host, port, baseUrl',
    })
  })

  test('because the name does not exist', async () => {
    const error = await startError({ host: 'no-such-host.invalid', port: 8888 })
    expect(error.code).toBe('JUPYTER_UNREACHABLE')
    expect(error.data).toMatchObject({ url: 'http://no-such-host.invalid:8888/', option: 'host' })
  })

  test.for([
    [
      'answers 404',
      'HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope',
      { status: '404', answer: 'nope', option: 'baseUrl' },
    ],
    [
      'answers with a page',
      'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html></html>',
      { status: '200', answer: '<html></html>', option: 'baseUrl' },
    ],
    [
      'answers with other JSON',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]',
      { status: '200', answer: '[]', option: 'baseUrl' },
    ],
    [
      'answers with nothing',
      'HTTP/1.1 204 No Content\r\n\r\n',
      { status: expect.stringMatching(/^20\d$/), answer: '', option: 'baseUrl' },
    ],
    [
      'leads elsewhere',
      'HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n',
      { status: '302', option: 'baseUrl' },
    ],
    [
      'names a kernel with a path',
      'HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\n{"id":"../../../x?y#z"}'.replace('21', '23'),
      { status: '200', answer: expect.stringContaining('x?y#z'), option: 'baseUrl' },
    ],
    [
      'has a fault',
      'HTTP/1.1 500 Oops\r\nContent-Length: 5\r\n\r\nbroke',
      { status: '500', answer: 'broke' },
    ],
  ] as const)('because what listens there %s', async ([, answer, data]) => {
    using other = await answerAlways(answer)
    const error = await startError({ port: other.port })
    expect(error).toMatchObject({
      code: 'JUPYTER_FAILED',
      data: { url: `http://127.0.0.1:${other.port}/`, ...data },
    })
  })

  test.for([
    ['speaks no HTTP', 'SSH-2.0-OpenSSH_9.2p1\r\n'],
    ['says nothing', ''],
    ['stops in the middle', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":'],
  ] as const)('because what listens there %s', async ([, answer]) => {
    using other = await answerAlways(answer)
    const error = await startError({ port: other.port })
    expect(error).toMatchObject({
      code: 'JUPYTER_UNREACHABLE',
      data: { url: `http://127.0.0.1:${other.port}/` },
    })
  })

  test('because what listens there repeats what it is told, the token included', async () => {
    using other = await listen((socket) => {
      socket.once('data', (data) => {
        socket.end(`HTTP/1.1 500 Oops\r\nContent-Length: ${data.length}\r\n\r\n${data}`)
      })
    })
    const error = await startError({ port: other.port })
    expect(error).toMatchObject({
      code: 'JUPYTER_FAILED',
      data: { status: '500', answer: expect.stringContaining('authorization: token [secret]') },
    })
  })

  test('because what listens there never answers: `startTimeoutMs` ends that', async () => {
    using other = await listen(() => {})
    const error = await startError({ port: other.port }, { startTimeoutMs: 500 })
    expect(error).toMatchObject({
      code: 'KERNEL_START_TIMEOUT',
      data: { url: `http://127.0.0.1:${other.port}/`, limitMs: '500', option: 'startTimeoutMs' },
    })
  })

  test('because what listens there starts a kernel, and agrees to no WebSocket', async () => {
    const body = '{"id": "0"}'
    using other = await answerAlways(
      `HTTP/1.1 201 Created\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
    const error = await startError({ port: other.port })
    expect(error.data).toMatchObject({ url: `http://127.0.0.1:${other.port}/`, status: '201' })
  })
})

describe.skipIf(jupyter.missing)('TLS in front of a server', () => {
  let server: RemoteServer
  let certificate: Certificate
  beforeAll(async () => {
    server = await RemoteServer.start({ args: serverArguments })
    certificate = makeCertificate()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('with a certificate that nobody knows is refused, with advice', async () => {
    using terminator = await terminateTls(certificate, server.info)
    const error = await startError({ port: terminator.port, useHttps: true })
    expect(error).toMatchObject({
      code: 'JUPYTER_UNREACHABLE',
      data: { url: `https://127.0.0.1:${terminator.port}/`, option: 'caFile, host' },
    })
  })

  test('with a certificate for another name is refused, with advice', async () => {
    using terminator = await terminateTls(certificate, server.info)
    const caFile = certificateFile(certificate.ca)
    const error = await startError({ host: 'localhost', port: terminator.port, useHttps: true, caFile })
    expect(error).toMatchObject({
      code: 'JUPYTER_UNREACHABLE',
      data: { reason: 'ERR_TLS_CERT_ALTNAME_INVALID', option: 'caFile, host' },
    })
  })

  test('with its authority as `caFile` carries requests and messages', async () => {
    using terminator = await terminateTls(certificate, server.info)
    const { port } = terminator
    await using executor = new JupyterCodeExecutor({
      server: { ...server.info, port, useHttps: true, caFile: certificateFile(certificate.ca) },
    })
    expect(await run(executor, 'print(6 * 7)')).toMatchObject({ status: 'ok', output: '42\n' })
  })

  test('does not hear http, and http does not hear TLS: both say `useHttps`', {
    tags: 'nightly',
  }, async () => {
    using terminator = await terminateTls(certificate, server.info)
    const tooPlain = await startError({ port: terminator.port })
    const tooSecret = await startError({ port: server.info.port, useHttps: true })
    for (const error of [tooPlain, tooSecret]) {
      expect(error).toMatchObject({ code: 'JUPYTER_UNREACHABLE', data: { option: 'useHttps' } })
    }
  })
})
