import type { KernelChannels } from '../channels/kernel-channels.ts'
import { newRequest } from '../protocol/message.ts'
import { publishType } from './reply-with-output.ts'

/** How long the output of a cell may wait for its reply, in milliseconds: as long as ipykernel itself collects what is written. */
const afterMs = 200

/** Asks a kernel to publish the output of its cell, unless disposed before. */
export function askToPublish(channels: KernelChannels): Disposable {
  const timer = setTimeout(() => {
    const request = newRequest(channels.session, { channel: 'control', type: publishType, content: {} })
    // A kernel that cannot be reached is found out elsewhere.
    channels.send(request).catch(() => {})
  }, afterMs)
  timer.unref()
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
