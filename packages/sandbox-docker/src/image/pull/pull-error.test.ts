import { expect, it } from 'vitest'
import { parseImageName } from '../image-name.ts'
import { pullError } from './pull-error.ts'

it('advises what helps on a machine without a network', () => {
  const name = parseImageName('r.example.com/python:9')
  if (name === undefined) throw new Error('not a name')
  const error = pullError({ name }, 'dial tcp: lookup r.example.com: no such host')
  expect(error).toMatchObject({ code: 'PULL_FAILED', data: { command: 'docker load' } })
})

it('an error of an engine or a registry has a code', ({ everyRow }) =>
  everyRow(
    [
      // As engines and registries have said it.
      ['manifest for python:9 not found: manifest unknown: manifest unknown', 'IMAGE_NOT_FOUND'],
      [
        "pull access denied for nope, repository does not exist or may require 'docker login': denied",
        'IMAGE_NOT_FOUND',
      ],
      ['Head "https://r.example.com/v2/a/manifests/1": no basic auth credentials', 'IMAGE_NOT_FOUND'],
      ['unauthorized: authentication required', 'IMAGE_NOT_FOUND'],
      ['no matching manifest for linux/s390x in the manifest list entries', 'WRONG_PLATFORM'],
      ['image with reference a was found but does not match the specified platform', 'WRONG_PLATFORM'],
      ['failed to register layer: write /usr/lib/x: no space left on device', 'DISK_FULL'],
      ['invalid reference format: repository name must be lowercase', 'INVALID_OPTIONS'],
      ['Get "https://r.example.com/v2/": dial tcp: lookup r.example.com: no such host', 'PULL_FAILED'],
      ['Get "https://r.example.com/v2/": net/http: TLS handshake timeout', 'PULL_FAILED'],
      ['http: server gave HTTP response to HTTPS client', 'PULL_FAILED'],
      ['unexpected EOF', 'PULL_FAILED'],
      ['toomanyrequests: You have reached your unauthenticated pull rate limit.', 'PULL_FAILED'],
      ['something new', 'PULL_FAILED'],
    ],
    (said, code) => {
      const name = parseImageName('r.example.com/python:9')
      if (name === undefined) throw new Error('not a name')
      const problem =
        'There is no login for the registry r.example.com, because the helper docker-credential-pass was not found.'
      expect(pullError({ name, problem }, said)).toMatchObject({
        code,
        data: { image: 'r.example.com/python:9', registry: 'r.example.com', reason: said },
      })
    },
  ))
