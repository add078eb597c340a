/** The label of the images that we make, to be found by: `docker images --filter label=fenced.image`. */
export function imageLabel(kind: 'build' | 'packages'): Record<string, string> {
  return { 'fenced.image': kind }
}
