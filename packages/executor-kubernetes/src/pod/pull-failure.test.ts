import { expect, it } from 'vitest'
import { podOptionsSchema } from './pod-options.ts'
import { podRequest } from './pod-request.ts'
import { fatalPullError, pullError, pullFailure } from './pull-failure.ts'

const image = 'registry.test/not found/access denied:1'
const request = podRequest(podOptionsSchema.parse({ image }), { maxLifetimeMs: 0, idleTimeoutMs: 0 })

function waiting(reason: string, message: string) {
  const containerStatuses = [{ name: 'code', state: { waiting: { reason, message } } }]
  return { metadata: { name: 'a', uid: '1' }, status: { containerStatuses } }
}

const backOff = `Back-off pulling image "${image}"`

it('gives up a pull only for what no further attempt would change', ({ everyRow }) =>
  everyRow<[string, boolean]>(
    [
      [`failed to resolve reference "${image}": ${image}: not found`, true],
      ['manifest for a:1 not found: manifest unknown: manifest unknown', true],
      ['pull access denied, repository does not exist or may require authorization', true],
      ['unexpected status from HEAD request to https://registry.test: 401 Unauthorized', true],
      [`failed to pull "${image}": 429 Too Many Requests - toomanyrequests: rate limit`, false],
      ['failed to authorize: failed to fetch anonymous token: unexpected status: 503', false],
      ['dial tcp: lookup registry.test on 10.0.0.10:53: no such host', false],
      ['dial tcp 127.0.0.1:1: connect: connection refused', false],
      [backOff, false],
    ],
    (message, isHopeless) => {
      const failure = pullFailure(waiting('ErrImagePull', message), undefined)
      expect(fatalPullError(failure, request)?.code).toBe(isHopeless ? 'PULL_FAILED' : undefined)
    },
  ))

it('keeps the words of the registry in a pause between attempts, until the image is there', () => {
  const first = pullFailure(waiting('ErrImagePull', '429 Too Many Requests'), undefined)
  const pause = pullFailure(waiting('ImagePullBackOff', backOff), first)
  expect(pause).toEqual({ reason: 'ImagePullBackOff', message: '429 Too Many Requests' })
  const told = `${backOff}: ErrImagePull: 503`
  expect(pullFailure(waiting('ImagePullBackOff', told), pause)?.message).toBe(told)
  expect(pullFailure(waiting('ImagePullBackOff', backOff), undefined)?.message).toBe(backOff)
  expect(pullFailure(waiting('ContainerCreating', ''), pause)).toBe(undefined)
  expect(pullError({ reason: 'ErrImagePull', message: '503' }, request, 2_000)).toMatchObject({
    code: 'PULL_FAILED',
    data: { image, reason: 'ErrImagePull', message: '503', limitMs: '2000' },
  })
})
