import { describe, expect, it } from 'vitest'
import { parseAddress } from './address.ts'

describe('an address', () => {
  it('has one form, however it is written', ({ everyRow }) =>
    everyRow(
      [
        ['/run/docker.sock', 'unix:///run/docker.sock'],
        ['./docker.sock', 'unix://./docker.sock'],
        ['  unix:///a b.sock ', 'unix:///a b.sock'],
        ['unix://', 'unix:///var/run/docker.sock'],
        ['npipe://', 'npipe:////./pipe/docker_engine'],
        ['tcp://', 'tcp://localhost:2375'],
        ['tcp://:99', 'tcp://localhost:99'],
        ['tcp://example.org', 'tcp://example.org:2375'],
        ['tcp://example.org:1/', 'tcp://example.org:1'],
        ['example.org:1', 'tcp://example.org:1'],
        ['tcp://[::1]:1', 'tcp://[::1]:1'],
        ['ssh://me@example.org', 'ssh://me@example.org'],
      ],
      (text, normal) => {
        expect(parseAddress(text).text).toBe(normal)
      },
    ))

  it('of another form is refused', ({ everyRow }) =>
    everyRow(
      [
        ['http://example.org', 'scheme'],
        ['fd://', 'scheme'],
        ['tcp://example.org:99999', 'form'],
        ['tcp://example.org/path', 'excess'],
        ['tcp://me@example.org', 'excess'],
        ['ssh://', 'form'],
        ['ssh://me:secret@example.org', 'password'],
        ['ssh://example.org?x', 'form'],
      ],
      (text, fault) => {
        expect(() => parseAddress(text)).toThrow(expect.objectContaining({ name: 'AddressError', fault }))
      },
    ))

  it.each(['ssh://me:secret@example.org', 'ssh://me:secret@example.org?x', 'tcp://me:secret@example.org'])(
    'keeps the password of %s to itself when it refuses it',
    (text) => {
      expect(() => parseAddress(text)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('secret') }),
      )
    },
  )

  it('takes an address through ssh apart', () => {
    expect(parseAddress('ssh://me@[::1]:22/a%20b.sock')).toMatchObject({
      user: 'me',
      host: '::1',
      port: '22',
      path: '/a b.sock',
    })
    expect(parseAddress('ssh://example.org/')).toMatchObject({
      user: undefined,
      port: undefined,
      path: undefined,
    })
  })
})
