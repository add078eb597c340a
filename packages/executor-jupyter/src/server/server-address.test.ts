import { describe, expect, test } from 'vitest'
import type { JupyterConnectionInfo } from './connection-info.ts'
import { serverAddress } from './server-address.ts'

describe('the address of a server', () => {
  test('has its host, port and path', ({ everyRow }) =>
    everyRow(
      [
        [{ host: 'example.org' }, 'http://example.org/'],
        [{ host: 'example.org', port: 8888 }, 'http://example.org:8888/'],
        [{ host: 'example.org', useHttps: true }, 'https://example.org/'],
        [{ host: 'example.org', useHttps: true, port: 443 }, 'https://example.org/'],
        [{ host: '::1', port: 8888 }, 'http://[::1]:8888/'],
        [{ host: '[::1]', port: 8888 }, 'http://[::1]:8888/'],
        [{ host: 'h', baseUrl: '/user/ann/' }, 'http://h/user/ann/'],
        [{ host: 'h', baseUrl: 'user/ann' }, 'http://h/user/ann/'],
        [{ host: 'h', baseUrl: '' }, 'http://h/'],
        [{ host: 'h', baseUrl: '/a b/' }, 'http://h/a%20b/'],
      ] as [JupyterConnectionInfo, string][],
      (info, url) => {
        expect(serverAddress(info).url.href).toBe(url)
      },
    ))

  test('has the token in a header and nowhere else', () => {
    const { url, headers } = serverAddress({ host: 'h', token: 'secret' })
    expect(headers).toEqual({ authorization: 'token secret' })
    expect(url.href).not.toContain('secret')
  })

  test('has no header without a token', () => {
    expect(serverAddress({ host: 'h' }).headers).toEqual({})
    expect(serverAddress({ host: 'h', token: '' }).headers).toEqual({})
  })
})
