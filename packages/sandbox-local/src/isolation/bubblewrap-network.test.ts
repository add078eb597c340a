import type { SpawnOptions } from '@fenced/core/sandbox'
import type { ListedNetwork } from '@fenced/sandbox/driver'
import { expect, it } from 'vitest'
import { BubblewrapNetwork } from './bubblewrap-network.ts'

const python = { command: ['/usr/bin/python3'], directories: [] } as unknown as Parameters<
  typeof BubblewrapNetwork.of
>[1]
const listed = { certificate: async () => undefined, variables: () => ({}) } as unknown as ListedNetwork

it('the test of a network ends with the start that wants it', async () => {
  const network = await BubblewrapNetwork.of(listed, python)
  const controller = new AbortController()
  let given: AbortSignal | undefined
  const spawn = async (_: readonly string[], { signal }: SpawnOptions = {}) => {
    given = signal
    controller.abort()
    return { ended: Promise.resolve({ kind: 'exited', exitCode: 0, wasStopped: true }) }
  }
  await expect(network.test(spawn as never, controller.signal)).rejects.toBe(controller.signal.reason)
  expect(given?.aborted).toBe(true)
})
