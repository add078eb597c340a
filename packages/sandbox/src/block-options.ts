import type { ExecutorCapabilities } from '@fenced/core'
import { z } from '@fenced/core/zod'
import { type WarmOption, warmOptionSchema } from './resident-python/warm-option.ts'

/** Options common to all executors that run blocks as processes. */
export interface CommandLineBlockOptions {
  /**
   * Whether Python blocks run as forks of a resident Python process, which takes a few milliseconds instead of the time to start
   * a process.
   * - `true`: the resident Python starts when the executor is idle, at the latest with the first Python or shell block, which
   *   waits for it. It exits after five minutes without a block. If it cannot start, every block runs in a new interpreter.
   * - `{ preload: ['numpy'] }`: it starts with the executor, imports the modules once for all blocks, and runs until the executor
   *   stops. If it cannot start, a notice says so.
   * - `false`: every block runs in a new interpreter.
   *
   * While the resident Python is running, programs in other languages are also started from a fork of it.
   *
   * @default true
   */
  readonly warm?: WarmOption | undefined
  /**
   * Whether Matplotlib figures that a Python block shows, or leaves open when it ends, become results of the block, as in a
   * notebook. Figures that the block saves do not. Only blocks whose text mentions Matplotlib, or a library that uses it, are
   * checked for figures. Setting `MPLBACKEND` in `env` turns this off.
   *
   * @default true
   */
  readonly figures?: boolean | undefined
  /**
   * Whether Python blocks run as cells of one session: variables stay from block to block, and the value of the last line is shown, as
   * in a notebook. Needs CPython 3.9 to 3.14 on Linux. Blocks in other languages run beside the session in the same directory, and do not see its
   * variables. The session ends with `stop()` and `restart()`.
   *
   * @default false
   */
  readonly stateful?: boolean | undefined
  /**
   * Maximum number of states that `session.undo()` can return to, with `stateful`. Python is copied, and changed files of the working
   * directory are kept, after each block. Named checkpoints do not count. 0 makes no checkpoints.
   *
   * @default 20
   */
  readonly checkpoints?: number | undefined
  /**
   * When a checkpoint is made: after each block, or only after the last block of each `execute` call.
   *
   * @default 'block'
   */
  readonly checkpoint?: 'block' | 'call' | undefined
  /**
   * Budget for the memory of all checkpoints, in bytes. Beyond it, the oldest unnamed checkpoints are dropped.
   *
   * @default a quarter of the sandbox's memory limit, or 1 GiB
   */
  readonly checkpointBytes?: number | undefined
}

/** Schema fields for {@link CommandLineBlockOptions}. */
export const commandLineBlockShape = {
  warm: warmOptionSchema,
  figures: z.boolean().default(true),
  stateful: z.boolean().default(false),
  checkpoints: z.int().min(0).max(1_000).default(20),
  checkpoint: z.enum(['block', 'call']).default('block'),
  checkpointBytes: z.int().min(0).optional(),
}

/** Returns the capabilities that depend on `stateful`. */
export function statefulCapabilities({
  stateful,
}: Pick<CommandLineBlockOptions, 'stateful'>): Pick<
  ExecutorCapabilities,
  'stateful' | 'richOutput' | 'inputRequests'
> {
  if (stateful !== true) return { stateful: [], richOutput: false }
  return { stateful: ['python'], richOutput: true, inputRequests: true }
}
