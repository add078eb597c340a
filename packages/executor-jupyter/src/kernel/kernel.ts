import type { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import type { ChannelListener, KernelChannels } from '../channels/kernel-channels.ts'

/** A kernel that was started, on this machine or elsewhere. */
export interface Kernel {
  readonly channels: KernelChannels
  /** Called after the first answer of the kernel, before a program runs in it. */
  answered?(): Promise<void>
  /** Sets whether the kernel keeps this process alive. @default true */
  setRef(keeps: boolean): void
  /** Interrupts the running cell, as Ctrl-C does. Absent where the kernel receives interrupts as messages. */
  interrupt?(): Promise<void>
  /** Requests the kernel's session at an interval, until disposed. Present where other clients can restart the kernel. */
  pollKernelInfo?(): Disposable
  /**
   * Called before and after each cell, where the kernel has a memory limit. The limit counts as the reason of a death only if a process
   * was killed for it since then.
   */
  noteMemoryKills?(): void
  /** Watches the processes that a cell starts from now on, where this process can reach them. */
  watchDescendants?(): { kill(): void }
  /**
   * Lets the kernel end in order within a bounded time, and then ends it. A kernel in which no program has run (`hasRun: false`) is
   * ended at once.
   */
  stop(state: { readonly hasRun: boolean }): Promise<void>
  /** Replaces the kernel by an empty one. Present where `kill` does not end the kernel, because it existed before. */
  restart?(): Promise<void>
  /** Ends the kernel at once, unless it existed before. */
  kill(): Promise<void>
}

/** Receives the messages and the end of a kernel. */
export interface KernelListener extends ChannelListener {
  /**
   * Called when the kernel has ended unexpectedly. `startError` is the known reason why it cannot start.
   */
  died(death: KernelDeath, startError?: FencedError): void
}

/** How a kernel ended. */
export interface KernelDeath {
  /** A part of a sentence about it: `ended with exit code 3`. */
  readonly how: string
  /** The values in `how`, by name. */
  readonly data: Readonly<Record<string, string>>
}

/** Starts kernels. */
export interface KernelSource {
  /** Prepares a server or an image, which can take long the first time. */
  prepare?(context: StartContext): Promise<void>
  /** Whether its kernels always run on this machine, in the directory in which they were started. @default false */
  readonly usesDirectory?: boolean
  /** Starts a kernel, in the given directory if the kernel runs on this machine. */
  startKernel(listener: KernelListener, context: KernelContext): Promise<Kernel>
  /** Ends what `prepare` started for this source alone. */
  stop?(): Promise<void>
}

export interface KernelContext {
  readonly directory: string
  readonly signal: AbortSignal
}
