import { FencedError } from '@fenced/core'
import { expect, it } from 'vitest'
import { failedEnd } from './turn-end.ts'

const stopped = () => {
  const controller = new AbortController()
  controller.abort()
  return controller
}

it('a turn that a person has stopped did not fail', () => {
  expect(failedEnd({ controller: stopped() }, new Error('aborted'))).toEqual({ status: 'stopped' })
})

it('a turn whose log could not be written has failed for that reason, even if it was then stopped', () => {
  const failure = new Error('disk full')
  const end = failedEnd({ controller: stopped(), failure }, new Error('aborted'))
  expect(end).toEqual({ status: 'failed', message: expect.stringContaining('disk full') })
})

it('an error of Fenced keeps its code and data, without secrets', () => {
  const error = new FencedError({
    code: 'INVALID_OPTIONS',
    message: 'Not valid.',
    data: { option: 'model', given: 'sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa' },
  })
  const end = failedEnd({ controller: new AbortController() }, error)
  expect(end).toMatchObject({ status: 'failed', code: 'INVALID_OPTIONS', data: { option: 'model' } })
  expect(JSON.stringify(end)).not.toContain('api03')
})
