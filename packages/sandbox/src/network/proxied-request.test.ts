import { expect, it } from 'vitest'
import { type Destination, framingToPassOn, targetOf } from './proxied-request.ts'

const host: Destination = { kind: 'name', host: 'a.test', port: 80 }

const request = (parts: object) =>
  ({ method: 'GET', url: '/', rawHeaders: [], ...parts }) as unknown as Parameters<typeof targetOf>[0]

it('a request names its host once, or its connection does', ({ everyRow }) =>
  everyRow<[url: string, connectedTo: Destination | undefined, target: object]>(
    [
      ['http://a.test/x', undefined, { destination: host, path: '/x' }],
      ['/x', host, { destination: host, path: '/x' }],
      ['/x', undefined, { status: 400 }],
      ['https://a.test/x', undefined, { status: 400 }],
      ['http://b.test/x', host, { status: 403 }],
      ['http://b.test/x', undefined, { status: 403 }],
    ],
    (url, connectedTo, target) => {
      const from = connectedTo === undefined ? {} : { destination: connectedTo }
      const read = () => targetOf(request({ url, rawHeaders: ['Host', 'a.test'] }), from)
      if ('status' in target) expect(read).toThrow(expect.objectContaining(target))
      else expect(read()).toEqual(target)
    },
  ))

it('a request without a length has no body that a host could read as another request', ({ everyRow }) =>
  everyRow<[method: string, rawHeaders: string[], framing: string[]]>(
    [
      ...['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'].map((method) => [method, [], []] as [string, [], []]),
      ['POST', [], ['Content-Length', '0']],
      ['POST', ['Content-Length', '3'], []],
      ['GET', ['Transfer-Encoding', 'Chunked'], ['Transfer-Encoding', 'chunked']],
    ],
    (method, rawHeaders, framing) =>
      expect(framingToPassOn(request({ method, rawHeaders }), host)).toEqual(framing),
  ))
