/** What `fenced doctor` can look at. */
export const checks = ['local', 'bubblewrap', 'docker', 'jupyter', 'kubernetes', 'disk'] as const
export type Check = (typeof checks)[number]
