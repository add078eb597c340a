// @module-tag all

import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { whileAnswering } from '../../src/engine/while-answering.ts'

/** As a request that is never answered. */
async function never(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw new Error('aborted')
}

it('gives up what an engine does that answers no question', async () => {
  const done = whileAnswering(never, { ask: never, pauseMs: 1, answerMs: 10 })
  await expect(done).rejects.toMatchObject({ kind: 'silent', data: { limitMs: '10' } })
})

it.each([
  ['answers', async () => 'OK'],
  ['refuses', () => Promise.reject(new Error('busy'))],
])('waits for an engine that %s other questions', async (_, answer) => {
  let asked = 0
  const enough = Promise.withResolvers<string>()
  const ask = async () => {
    if (++asked === 20) enough.resolve('done')
    return answer()
  }
  expect(await whileAnswering(() => enough.promise, { ask, pauseMs: 1, answerMs: 10 })).toBe('done')
  const before = asked
  for (let turn = 0; turn < 20; turn++) await nextTurn()
  expect(asked).toBe(before)
})

it('rejects with what fails by itself', async () => {
  const failing = () => Promise.reject(new Error('refused'))
  await expect(whileAnswering(failing, { ask: never })).rejects.toThrow('refused')
})
