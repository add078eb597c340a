import type { KernelChannels } from '../channels/kernel-channels.ts'
import { newRequest } from '../protocol/message.ts'
import { publishType } from './setup-code.ts'

/** Interval at which the session is requested, in milliseconds. */
const pollMs = 5_000

/** How long the output of a cell may wait for its reply, in milliseconds: as long as ipykernel itself collects what is written. */
const publishAfterMs = 200

/**
 * Requests the session of a kernel at an interval, until disposed. When another client restarts a kernel, the server can miss
 * the first messages of the new kernel, and the new kernel does not know the running cell.
 */
export function pollKernelInfo(channels: KernelChannels): Disposable {
  return disposable(setInterval(send, pollMs, channels, 'kernel_info_request'))
}

/** Asks a kernel to publish the output of its cell, unless disposed before. */
export function askToPublish(channels: KernelChannels): Disposable {
  return disposable(setTimeout(send, publishAfterMs, channels, publishType))
}

function send(channels: KernelChannels, type: string): void {
  const request = newRequest(channels.session, { channel: 'control', type, content: {} })
  // A lost connection is found out elsewhere.
  channels.send(request).catch(() => {})
}

function disposable(timer: NodeJS.Timeout): Disposable {
  timer.unref()
  // This clears an interval as well.
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
