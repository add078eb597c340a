import { z } from '@fenced/core/zod'

const moduleName = z
  .string()
  .regex(/^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)*$/u, 'must be the name of a module')

/** The `warm` option: whether there is a resident Python, and the modules that it imports once for all its forks. */
export type WarmOption = boolean | { readonly preload?: readonly string[] | undefined }

/** Schema for the `warm` option of every executor. */
export const warmOptionSchema = z
  .union([z.boolean(), z.strictObject({ preload: z.array(moduleName).default([]) })])
  .default(true)
