import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import { describe, expect, it } from 'vitest'
import { engineConnectionSchema } from './connection.ts'

const schema = z.strictObject({ docker: engineConnectionSchema.optional() })
const read = (docker: unknown) => parseOptions(schema, { docker }, 'a test').docker

describe('the option `docker`', () => {
  it.each(['/run/docker.sock', 'ssh://me@example.org', { context: 'colima' }, { host: 'tcp://example.org' }])(
    'takes %j',
    (connection) => {
      expect(read(connection)).toEqual(connection)
    },
  )

  it('verifies with TLS unless told otherwise', () => {
    expect(read({ host: 'tcp://example.org', tls: {} })).toEqual({
      host: 'tcp://example.org',
      tls: { verify: true },
    })
  })

  it('refuses a connection that cannot work', ({ everyRow }) =>
    everyRow(
      [
        ['', 'docker'],
        [7, 'docker'],
        ['http://example.org', 'docker'],
        [{ host: 'http://example.org' }, 'docker.host'],
        [{ host: '/run/docker.sock', tls: {} }, 'docker.tls'],
        [{ host: 'tcp://example.org', tls: { certFile: 'a' } }, 'docker.tls.keyFile'],
        [{ host: 'tcp://example.org', context: 'colima' }, 'docker'],
        [{ context: '' }, 'docker.context'],
      ],
      (connection, option) => {
        expect(() => read(connection)).toThrow(
          expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option } }),
        )
      },
    ))

  it('suggests the path of a file for the text of a certificate', () => {
    expect(() => read({ host: 'tcp://example.org', tls: { ca: 'text' } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        data: { option: 'docker.tls.ca', suggestion: 'caFile' },
      }),
    )
  })
})
