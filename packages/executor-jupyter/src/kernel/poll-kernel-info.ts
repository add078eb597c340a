import type { KernelChannels } from '../channels/kernel-channels.ts'
import { newRequest } from '../protocol/message.ts'

/** Interval of the requests, in milliseconds. */
const everyMs = 5_000

/**
 * Requests the session of a kernel at an interval, until disposed. When another client restarts a kernel, the server can miss
 * the first messages of the new kernel, and the new kernel does not know the running cell.
 */
export function pollKernelInfo(channels: KernelChannels): Disposable {
  const asking = setInterval(() => {
    const request = newRequest(channels.session, {
      channel: 'control',
      type: 'kernel_info_request',
      content: {},
    })
    // A connection that is lost is found out elsewhere.
    channels.send(request).catch(() => {})
  }, everyMs)
  asking.unref()
  return { [Symbol.dispose]: () => clearInterval(asking) }
}
