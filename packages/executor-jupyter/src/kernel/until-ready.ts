import { setTimeout as sleep } from 'node:timers/promises'
import { infoRequest, type KernelInfo, kernelInfo } from './kernel-info.ts'
import type { Requests } from './requests.ts'

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
