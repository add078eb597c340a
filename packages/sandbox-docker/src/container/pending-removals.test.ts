import { expect, it } from 'vitest'
import { EngineAnswerError } from '../engine/engine-answer.ts'
import { PendingRemovals } from './pending-removals.ts'

/** Removals by name, each of which ends as its test says. */
function pending(removals: Readonly<Record<string, () => Promise<boolean>>>) {
  const removed: string[] = []
  const all = new PendingRemovals()
  for (const [name, remove] of Object.entries(removals)) {
    all.add(async () => {
      const isGone = await remove()
      removed.push(name)
      return isGone
    })
  }
  return { all, removed }
}

const gone = async () => true

it('removes the others while the engine takes long for one', async () => {
  const slow = Promise.withResolvers<boolean>()
  const asked = Promise.withResolvers<void>()
  const last = async () => {
    asked.resolve()
    return true
  }
  const { all, removed } = pending({ slow: () => slow.promise, second: gone, last })
  const done = all.removeAll()
  await asked.promise
  slow.resolve(true)
  await done
  expect(removed).toEqual(['second', 'last', 'slow'])
  expect(all.isEmpty).toBe(true)
})

it('removes the others when the engine refuses one, and asks for that one again the next time', async () => {
  let isBusy = true
  const refused = async () => {
    if (isBusy) throw new EngineAnswerError(500, undefined, 'busy')
    return true
  }
  const { all, removed } = pending({ refused, second: gone })
  await expect(all.removeAll()).rejects.toMatchObject({ message: 'busy' })
  expect(removed).toEqual(['second'])
  isBusy = false
  await all.removeAll()
  expect(removed).toEqual(['second', 'refused'])
  expect(all.isEmpty).toBe(true)
})

it('asks an engine that does not answer for nothing more', async () => {
  let asked = 0
  const lost = async () => {
    asked++
    throw new Error('connection lost')
  }
  const { all } = pending(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}`, lost])))
  await expect(all.removeAll()).rejects.toThrow('connection lost')
  expect(asked).toBeLessThan(20)
  expect(all.isEmpty).toBe(false)
})
