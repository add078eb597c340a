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

  test('has one value in a cookie and a header without a token, as a Jupyter Server wants it', () => {
    for (const info of [{ host: 'h' }, { host: 'h', token: '' }]) {
      const { 'x-xsrftoken': xsrf, cookie, ...others } = serverAddress(info).headers
      expect(xsrf).toMatch(/^[0-9a-f]{32}$/)
      expect([cookie, others]).toEqual([`_xsrf=${xsrf}`, {}])
    }
    const known = { host: 'h', headers: { Cookie: 'a=1; _xsrf=mine; b=2' } }
    expect(serverAddress(known).headers).toEqual({ cookie: 'a=1; _xsrf=mine; b=2', 'x-xsrftoken': 'mine' })
    expect(serverAddress({ host: 'h', headers: { Cookie: 'a=1' } }).headers.cookie).toMatch(
      /^a=1; _xsrf=\w{32}$/,
    )
  })

  test('has the headers that were given, and a token replaces their `Authorization`', () => {
    const headers = { 'X-User': 'ann', Authorization: 'Basic abc' }
    expect(serverAddress({ host: 'h', headers }).headers).toMatchObject({
      'x-user': 'ann',
      authorization: 'Basic abc',
    })
    const { headers: sent, secrets } = serverAddress({ host: 'h', headers, token: 'secret' })
    expect(sent).toEqual({ 'x-user': 'ann', authorization: 'token secret' })
    expect(secrets).toEqual(['secret', 'Basic abc'])
  })
})
