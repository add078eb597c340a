import { knownOptions } from '../options/known-options.ts'
import type { RichResult } from '../vocabulary/code-result.ts'
import { z } from '../zod.ts'

/** Limits on the pictures in a result that a model sees. */
export interface ToolPicturesOptions {
  /**
   * Maximum number of pictures per call.
   *
   * @default 4
   */
  readonly maxCount?: number | undefined
  /**
   * Maximum total size of the pictures in one call, in bytes. A picture that does not fit stays in its file, which the text
   * names.
   *
   * @default 3_000_000
   */
  readonly maxBytes?: number | undefined
}

/**
 * Schema for the `pictures` option of tools. `false` becomes `undefined`, because a model that does not accept pictures would
 * read their data as text.
 */
export const toolPicturesSchema = z
  .union([
    z.boolean(),
    z.strictObject({
      maxCount: z.int().min(1).optional(),
      maxBytes: z.int().min(1).optional(),
    }),
  ])
  .default(false)
  .transform((given) =>
    given === false ? undefined : { maxCount: 4, maxBytes: 3_000_000, ...(given === true ? {} : given) },
  )

/** A picture for a model. */
export const toolPictureSchema = z.object({
  mediaType: z.string(),
  /** Base64. */
  data: z.string(),
})

type ToolPicture = z.output<typeof toolPictureSchema>

/** MIME types that models accept, in order of preference for the same picture. */
const mediaTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/** Returns a result's pictures, in order, as far as the limits allow. */
export function picturesOf(
  { blocks }: { readonly blocks: readonly { readonly results: readonly Pick<RichResult, 'data'>[] }[] },
  options: ToolPicturesOptions,
): ToolPicture[] {
  const names = { maxCount: true, maxBytes: true } as const
  const { maxCount = 4, maxBytes = 3_000_000 } = knownOptions(options, names, 'picturesOf()')
  const pictures: ToolPicture[] = []
  let left = maxBytes
  for (const { data: shown } of blocks.flatMap(({ results }) => results)) {
    const mediaType = mediaTypes.find((type) => typeof shown[type] === 'string')
    if (mediaType === undefined) continue
    // A kernel ends its lines.
    const data = String(shown[mediaType]).replaceAll(/\s/g, '')
    const size = Buffer.byteLength(data, 'base64')
    if (size > left || pictures.length === maxCount) continue
    left -= size
    pictures.push({ mediaType, data })
  }
  return pictures
}
