import { expect, it, vi } from 'vitest'
import type { Channels } from './channels.ts'
import { NetworkHelper } from './listed-network.ts'

it.each([
  ['has ended', async () => {}, undefined],
  ['fails', () => Promise.reject(new Error('It is broken.')), new Error('It is broken.')],
])('a helper that %s ends its process and all connections of programs', async (_, reading, failure) => {
  const process = { destroy: vi.fn() }
  const channels = { send: vi.fn(), end: vi.fn() }
  const helper = new NetworkHelper(
    process as unknown as ConstructorParameters<typeof NetworkHelper>[0],
    reading(),
    channels as unknown as Channels,
  )
  expect(await helper.ended).toEqual(failure)
  expect(helper.hasEnded).toBe(true)
  expect(process.destroy).toHaveBeenCalled()
  expect(channels.end).toHaveBeenCalled()
})
