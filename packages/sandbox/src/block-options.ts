import { z } from 'zod'
import { type WarmOptions, warmOptionSchema } from './fork-server/warm-option.ts'

/** Options of every executor whose blocks are processes. */
export interface CommandLineBlockOptions {
  /**
   * Whether Python blocks run as forks of a resident Python, which takes a few milliseconds instead of the start of a process.
   * - `'auto'`: once the resident Python is running. It starts when the executor has nothing to do, after its start or its first block, and
   *   ends after five minutes without a block. An earlier block runs in a new interpreter.
   * - `true`: every block waits for it. `{ preload: ['numpy'] }`: it starts with the executor, and imports modules once for all blocks.
   *   Where that cannot be done a notice says so, and every block runs in a new interpreter.
   * - `false`: every block runs in a new interpreter.
   *
   * While the resident Python is running, the programs of blocks in other languages are started from a fork of it.
   *
   * @default 'auto'
   */
  readonly warm?: 'auto' | boolean | WarmOptions | undefined
  /**
   * Whether figures of Matplotlib that a Python block shows, or leaves open at its end, become results of it, as in a notebook. Figures
   * that the block saves do not. Only a block whose text names Matplotlib, or a library that uses it, is asked for figures. A variable
   * `MPLBACKEND` of the option `env` turns this off.
   *
   * @default true
   */
  readonly figures?: boolean | undefined
}

/** The fields of {@link CommandLineBlockOptions}. */
export const commandLineBlockShape = { warm: warmOptionSchema, figures: z.boolean().default(true) }
