import type { KernelChannels } from '../channels/kernel-channels.ts'
import { type KernelMessage, newRequest } from '../protocol/message.ts'
import { outputName, publishType } from './step-messages.ts'

/** The output of a cell that came with its reply; then nothing else comes of it. */
export function outputOfReply({ metadata }: KernelMessage): readonly KernelMessage['content'][] | undefined {
  const output = metadata[outputName]
  return Array.isArray(output) ? output : undefined
}

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
