import { expect, it } from 'vitest'
import type { EngineAccess } from '../engine/connect-engine.ts'
import { Container } from './container.ts'

const engine = {
  endpoint: { address: 'unix:///a', origin: 'test', isLocal: true },
  docker: { getContainer: () => ({}) },
} as unknown as EngineAccess
const container = new Container({ engine, id: 'a', origin: undefined })
const wrong = { sginal: 1 } as never

it.each([
  ['exec', () => container.exec(['true'], wrong)],
  ['remove', () => container.remove(wrong)],
  ['discard', () => container.discard(wrong)],
] as const)('%s refuses an unknown name', async (_, call) => {
  await expect(call()).rejects.toMatchObject({ code: 'INVALID_OPTIONS', data: { option: 'sginal' } })
})
