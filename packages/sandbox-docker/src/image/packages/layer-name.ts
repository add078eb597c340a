import { createHash } from 'node:crypto'
import type { RequirementsFile } from '@fenced/host'
import type { OwnImageName } from '../own-image.ts'

/** To be raised when the same packages would be installed in another way. */
const recipe = 1

const repo = 'fenced-packages'

/** All that decides what is in an image with packages. */
export interface LayerParts {
  readonly baseImageId: string
  readonly platform: string | undefined
  readonly packages: readonly string[]
  readonly requirements: readonly RequirementsFile[]
}

/** The same name for the same parts, in this process and in every other one. */
export function layerName({ baseImageId, platform, packages, requirements }: LayerParts): OwnImageName {
  const files = requirements.map(({ name, content }) => [name, content])
  const parts = JSON.stringify([recipe, baseImageId, platform ?? null, packages, files])
  const tag = createHash('sha256').update(parts).digest('hex').slice(0, 32)
  return { repo, tag, reference: `${repo}:${tag}` }
}
