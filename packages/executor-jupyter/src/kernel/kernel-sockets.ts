import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import type { SocketName } from '../channels/zeromq-channels.ts'
import type { KernelLaunch, KernelSockets } from './kernel-launcher.ts'

/** open(2): a descriptor that names an entry and needs no right to read it. Node does not know the number. */
const O_PATH = 0o10000000

/** How often it is looked for one, in milliseconds. */
const lookAgainMs = 5

export interface OpenSocketsOptions {
  /** Resolves when the kernel has ended. */
  readonly ended: Promise<unknown>
  readonly signal: AbortSignal
}

/**
 * Waits for the sockets of a kernel in a folder into which its code can put anything. The paths that it returns lead to sockets
 * which were made there, and always to the same ones: through a link, a connection would reach any socket of this machine. Linux
 * only.
 *
 * @returns `undefined` when the kernel ends before.
 * @throws FencedError `KERNEL_START_FAILED` when one of them is something else.
 */
export async function openKernelSockets(
  sockets: KernelLaunch['sockets'],
  { ended, signal }: OpenSocketsOptions,
): Promise<KernelSockets | undefined> {
  const descriptors: number[] = []
  const release = () => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor)
  }
  const over = new AbortController()
  void ended.then(() => over.abort())
  const either = AbortSignal.any([signal, over.signal])
  try {
    const paths: Record<string, string> = {}
    for (const [name, path] of Object.entries(sockets)) {
      const descriptor = await openWhenThere(path, either)
      descriptors.push(descriptor)
      // It names what is open, wherever that was: see proc(5).
      paths[name] = `/proc/self/fd/${descriptor}`
    }
    return { paths: paths as Record<SocketName, string>, release }
  } catch (error) {
    release()
    signal.throwIfAborted()
    if (over.signal.aborted) return undefined
    throw error
  }
}

async function openWhenThere(path: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    const descriptor = openSocket(path)
    if (descriptor !== undefined) return descriptor
    await sleep(lookAgainMs, undefined, { signal })
  }
}

/** `undefined` when it is not there. */
function openSocket(path: string): number | undefined {
  let descriptor: number
  try {
    descriptor = openSync(path, O_PATH | constants.O_NOFOLLOW)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (fstatSync(descriptor).isSocket()) return descriptor
  closeSync(descriptor)
  throw new FencedError({
    code: 'KERNEL_START_FAILED',
    message: `The kernel did not start: something other than a socket is at ${path}.`,
    data: { path },
  })
}
