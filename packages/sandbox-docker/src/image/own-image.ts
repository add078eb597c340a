/** Why we made an image. */
export type ImageKind = 'build' | 'packages' | 'prepared'

/** The label of the images that we make, to be found by: `docker images --filter label=fenced.image`. */
export function imageLabel(kind: ImageKind): Record<string, string> {
  return { 'fenced.image': kind }
}

/** A name that an image of ours is found again by. */
export interface OwnImageName {
  readonly repo: string
  readonly tag: string
  /** Both, as an image's name. */
  readonly reference: string
}
