import type { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import type { ChannelListener, KernelChannels } from '../channels/kernel-channels.ts'

/** A kernel that was started for us, wherever it runs. */
export interface Kernel {
  readonly channels: KernelChannels
  /** It has answered, and no program has run in it yet. */
  answered?(): Promise<void>
  /** Whether it keeps this process going, as it does at first. */
  setRef(keeps: boolean): void
  /** Interrupts what it runs, as Ctrl-C does. Absent where it is asked by a message to interrupt itself. */
  interrupt?(): Promise<void>
  /** Asks it who it is until disposed, where somebody else may start it again: its answers come over the channels. */
  askWhoItIs?(): Disposable
  /**
   * Called before and after each cell, where the kernel runs within a memory limit: a death is put down to that limit only if a process
   * was killed for it since.
   */
  noteMemoryKills?(): void
  /** What a cell starts from now on beside the kernel, as far as it can be reached from here. */
  watchDescendants?(): { kill(): void }
  /**
   * Lets it end in order, within a bounded time; then it is made to. One in which no program has run
   * (`hasRun: false`) has nothing to put in order.
   */
  stop(state: { readonly hasRun: boolean }): Promise<void>
  /** Replaces it by an empty one. Only where `kill` does not end it, because it was there before. */
  restart?(): Promise<void>
  /** Ends it at once, unless it was there before. */
  kill(): Promise<void>
}

/** Hears what becomes of a kernel. */
export interface KernelListener extends ChannelListener {
  /**
   * It has ended, and not because we wanted it. Where more is known about why it cannot even start, `startError` says it.
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

/** Where kernels come from. */
export interface KernelSource {
  /** Makes ready what kernels are started by, which may take long the first time: a server, an image. */
  prepare?(context: StartContext): Promise<void>
  /** Whether its kernels always run in the directory that they are started in, on this machine. Default: not always. */
  readonly usesDirectory?: boolean
  /** Starts one in a directory of this machine, where that is the kernel's machine, too. */
  startKernel(listener: KernelListener, context: KernelContext): Promise<Kernel>
  /** Ends what `prepare` made ready, where that is nobody else's. */
  stop?(): Promise<void>
}

export interface KernelContext {
  readonly directory: string
  readonly signal: AbortSignal
}
