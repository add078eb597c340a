import { FencedError } from '@fenced/core'
import { expect, test, vi } from 'vitest'
import { ApiAnswerError } from '../api/api-error.ts'
import { removeNowOrLater } from './remove-later.ts'

const refusal = (status: number) => new ApiAnswerError(status, {})

test.each([
  ['is removed where the pod was made', Promise.resolve(), 1],
  ['is removed where the name is taken: an answer was lost, and the request sent again', refusal(409), 1],
  ['is removed where the server failed', refusal(500), 1],
  ['is removed where the connection was lost', new Error('reset'), 1],
  ['is removed where the lost connection has an error of ours', fencedError(new Error('reset')), 1],
  ['is left alone where the server refused', refusal(403), 0],
  ['is left alone where the refusal has an error of ours', fencedError(refusal(422)), 0],
])('the rest of a start %s', async (_, making, removals) => {
  const remove = vi.fn(async () => true)
  await removeNowOrLater({
    remove,
    making: making instanceof Error ? Promise.reject(making) : making,
    signal: new AbortController().signal,
  })
  expect(remove).toHaveBeenCalledTimes(removals)
})

function fencedError(cause: Error): FencedError {
  return new FencedError({ code: 'CLUSTER_UNAVAILABLE', message: 'The pod did not start.', cause })
}
