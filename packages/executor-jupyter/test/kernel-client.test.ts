import { expect, test } from 'vitest'
import type { KernelListener, KernelSource } from '../src/kernel/kernel.ts'
import { KernelClient } from '../src/kernel/kernel-client.ts'

test('a kernel whose channels reject every message lets other events happen while it starts', async () => {
  const controller = new AbortController()
  let sent = 0
  const source: KernelSource = {
    startKernel: async (listener: KernelListener) => {
      setImmediate(() => listener.died({ how: 'ended', data: {} }))
      return {
        channels: {
          session: 'test',
          send: async () => {
            // Without a pause between its requests, the client would never reach the event above.
            if (++sent === 1_000) controller.abort(new Error('1,000 requests without a pause'))
            throw new Error('not connected')
          },
          setRef: () => {},
          close: async () => {},
        },
        setRef: () => {},
        stop: async () => {},
        kill: async () => {},
      }
    },
  }
  const context = { directory: '/', signal: controller.signal }
  await expect(KernelClient.start(source, context)).rejects.toMatchObject({ code: 'KERNEL_START_FAILED' })
  expect(sent).toBe(1)
})
