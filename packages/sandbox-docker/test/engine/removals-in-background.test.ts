// @module-tag all

import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { PendingRemovals } from '../../src/container/pending-removals.ts'

it('removes in the background what comes to be later', async () => {
  const removed = Promise.withResolvers<boolean>()
  const answers = [false, true]
  const pending = new PendingRemovals()
  await pending.remove(async () => {
    const isGone = answers.shift() === true
    if (isGone) removed.resolve(true)
    return isGone
  })
  expect(pending.isEmpty).toBe(false)
  expect(await removed.promise).toBe(true)
})

it('a start that was cancelled does not wait for its removal, and a removal of all does', async () => {
  const slow = Promise.withResolvers<boolean>()
  const pending = new PendingRemovals()
  await pending.remove(() => slow.promise, AbortSignal.abort())
  let isOver = false
  const all = pending.removeAll().then(() => {
    isOver = true
  })
  await nextTurn()
  expect(isOver).toBe(false)
  slow.resolve(true)
  await all
})
