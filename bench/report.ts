import type { machine } from './machine.ts'
import type { Row } from './row.ts'

/** All that one run says. */
export interface Report {
  readonly machine: typeof machine
  readonly rows: readonly Row[]
}

/** The machine, and what we run in. */
export function takenOn({ machine }: Report): string {
  const { node, platform, cpu, cpuCount } = machine
  return `Node ${node.replace(/^v/, '')}, ${platform}, ${cpuCount} × ${cpu}`
}

/** The versions of everything else that took part. */
export function takenWith({ rows }: Report): string {
  const versions = new Map<string, Set<string>>()
  for (const [name, version] of rows.flatMap((row) => Object.entries(row.versions ?? {}))) {
    versions.set(name, (versions.get(name) ?? new Set()).add(version))
  }
  return [...versions].map(([name, found]) => `${name} ${[...found].join(' and ')}`).join(', ')
}
