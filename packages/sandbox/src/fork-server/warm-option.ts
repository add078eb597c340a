import { z } from '@fenced/core/zod'

const moduleName = z
  .string()
  .regex(/^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)*$/u, 'must be the name of a module')

/** What the resident Python for `warm` does before the first block. */
export interface WarmOptions {
  /**
   * Modules that it imports once for all blocks.
   *
   * @default []
   */
  readonly preload?: readonly string[] | undefined
}

/** Schema for the `warm` option of executors whose Python blocks can be forks of one resident Python. */
export const warmOptionSchema = z
  .union([z.literal('auto'), z.boolean(), z.strictObject({ preload: z.array(moduleName).default([]) })])
  .default('auto')

/** Parsed `warm` option: whether there is a resident Python, when it starts, and what it imports. */
export type WarmOption = z.output<typeof warmOptionSchema>
