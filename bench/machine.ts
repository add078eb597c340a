import { arch, availableParallelism, cpus, platform } from 'node:os'

/** What the figures were taken on. */
export const machine = {
  node: process.version,
  platform: `${platform()} ${arch()}`,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cpuCount: availableParallelism(),
} as const
