import { z } from 'zod'

const moduleName = z
  .string()
  .regex(/^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)*$/u, 'must be the name of a module')

/** What the resident Python of `warm` does before the first block. */
export interface WarmOptions {
  /**
   * Modules that it imports once, for every block.
   *
   * @default []
   */
  readonly preload?: readonly string[] | undefined
}

/** The option `warm` of executors whose Python blocks can be forks of one Python. */
export const warmOptionSchema = z
  .union([z.literal('auto'), z.boolean(), z.strictObject({ preload: z.array(moduleName).default([]) })])
  .default('auto')

/** Whether there is to be one, from when on, and what it imports once. */
export type WarmOption = z.output<typeof warmOptionSchema>
