import { expect, it } from 'vitest'
import { firstFound, soonest } from './slow-engines.ts'

const never = new Promise<never>(() => {})

it('does not wait for a question that is never answered when another one is answered with yes', async () => {
  await soonest([never, Promise.resolve(true)], 1)
})

it('waits for all answers while none is yes', async () => {
  const slow = Promise.withResolvers<boolean>()
  const order: string[] = []
  const wait = soonest([Promise.resolve(false), slow.promise]).then(() => order.push('over'))
  for (let turn = 0; turn < 20; turn++) await undefined
  order.push('answered')
  slow.resolve(false)
  await wait
  expect(order).toEqual(['answered', 'over'])
})

it('finds the first answer without the slow and the failed ones', async () => {
  const failed = Promise.reject(new Error('lost'))
  expect(await firstFound([never, failed, Promise.resolve(undefined), Promise.resolve(7)])).toBe(7)
})

it('rejects with a failure where nothing was found', async () => {
  const failed = Promise.reject(new Error('lost'))
  await expect(firstFound([Promise.resolve(undefined), failed])).rejects.toThrow('lost')
  expect(await firstFound([Promise.resolve(undefined)])).toBeUndefined()
})
