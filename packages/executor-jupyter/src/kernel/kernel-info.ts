import { setTimeout as sleep } from 'node:timers/promises'
import type { KernelMessage, Request } from '../protocol/message.ts'
import type { Requests } from './requests.ts'

/** The reply of a kernel to `kernel_info_request`. */
export interface KernelInfo {
  /** Name of the kernel's language, as the kernel spells it. */
  readonly language: string
  /** Session of the kernel. A restarted kernel has a different one. */
  readonly session: string
}

export const infoRequest: Request = { channel: 'shell', type: 'kernel_info_request', content: {} }

function kernelInfo({ header, content }: KernelMessage): KernelInfo {
  const { name } = Object(content.language_info)
  return { session: header.session, language: typeof name === 'string' ? name : '' }
}

/**
 * Whether a message shows that the kernel was replaced. A server restarts a dead kernel under the same id, and its variables are lost.
 * The server also publishes on `iopub`, in its own session.
 */
export function isOfNewKernel({ channel, header, content }: KernelMessage, session: string): boolean {
  const state = channel === 'iopub' && header.msg_type === 'status' ? content.execution_state : undefined
  if (state === 'restarting' || state === 'dead') return true
  const isReply = channel === 'shell' || channel === 'control'
  const isKernels = isReply || state === 'starting' || state === 'busy' || state === 'idle'
  return isKernels && header.session !== session
}

/** Time until the next request, if the kernel has not replied, in milliseconds. */
const askAgainMs = 1_000

/** Time between two checks of whether output arrives, in milliseconds. */
const outputMs = 10

export interface StartingKernel {
  /** Whether a message has arrived on `iopub`. */
  readonly hearsOutput: () => boolean
  /** Throws when the kernel or the connection has ended. */
  readonly throwIfEnded: () => void
  readonly signal: AbortSignal
}

/** Waits until both directions work: the kernel has replied on `shell`, and a message has arrived on `iopub`. */
export async function untilReady(
  requests: Requests,
  { hearsOutput, throwIfEnded, signal }: StartingKernel,
): Promise<KernelInfo> {
  const ended = requests.ended.then(() => undefined)
  for (;;) {
    signal.throwIfAborted()
    const pauseOrEnd = Promise.race([sleepUnlessAborted(askAgainMs, signal), ended])
    const answer = requests.ask(infoRequest)
    // A request that was rejected resolves at once: the next one waits for the pause all the same.
    const reply = (await Promise.race([answer, pauseOrEnd])) ?? (await pauseOrEnd)
    throwIfEnded()
    if (reply === undefined) continue
    if (!hearsOutput()) await sleep(outputMs)
    if (hearsOutput()) return kernelInfo(reply)
  }
}

async function sleepUnlessAborted(timeMs: number, signal: AbortSignal): Promise<undefined> {
  // Does not keep the process alive.
  await sleep(timeMs, undefined, { signal, ref: false }).catch(() => {})
}
