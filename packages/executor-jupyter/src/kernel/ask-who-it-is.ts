import type { KernelChannels } from '../channels/kernel-channels.ts'
import { newRequest } from '../protocol/message.ts'

/** How often a kernel is asked, in milliseconds. */
const everyMs = 5_000

/**
 * Asks a kernel who it is, again and again until disposed: each answer bears the session of the kernel. When somebody
 * starts a kernel again, its server may miss what the new one says of itself, and the new one knows of no cell.
 *
 * On `control`, where a kernel answers while it runs a cell. One that does not answers behind the cell.
 */
export function askWhoItIs(channels: KernelChannels): Disposable {
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
