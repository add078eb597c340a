import { statSync } from 'node:fs'
import type { ProcessEnd } from '@fenced/core/sandbox'
import type { StartedProcess } from '@fenced/host'
import { inheritedSettings } from '../inherited-settings.ts'
import type { LimitedCommand } from './limits.ts'

/** What a process in bubblewrap was started with. */
export interface IsolationOfProcess {
  readonly directory: string
  /** {@link identityOf} that, before the start. */
  readonly identity: string
  /** {@link inheritedSettings} before the start. */
  readonly settings: string
  readonly limited: LimitedCommand | undefined
  readonly privatePaths: readonly string[]
  /** Whether what brings its connections is there; absent where nothing does. */
  readonly isConnected?: (() => boolean) | undefined
}

/** Adds the answers of a resident process to a process in bubblewrap. */
export function isolatedProcess(
  process: StartedProcess,
  { directory, identity, settings, limited, isConnected = () => true, ...known }: IsolationOfProcess,
): StartedProcess {
  const { processId } = process
  return Object.assign(process, {
    isOutdated: async () =>
      identityOf(directory) !== identity || inheritedSettings() !== settings || !isConnected(),
    outOfMemoryKills: async () =>
      limited === undefined || processId === undefined ? 0 : limited.countKills(processId),
    memoryUse: async () => (processId === undefined ? undefined : limited?.memoryUse(processId)),
    ...known,
  })
}

/** Starts a process within its limits, which end with it. Its end says how many processes in it were killed because memory ran out. */
export async function startWithin(
  limited: LimitedCommand | undefined,
  start: () => Promise<StartedProcess>,
): Promise<StartedProcess> {
  try {
    const started = await start()
    if (limited === undefined) return started
    const ended = started.ended.then((end) => withMemoryKills(end, limited)).finally(() => limited.end())
    // An unhandled error of a sink must not end this process.
    ended.catch(() => {})
    return Object.assign(started, { ended })
  } catch (error) {
    limited?.end()
    throw error
  }
}

function withMemoryKills(end: ProcessEnd, limited: LimitedCommand): ProcessEnd {
  const memoryKills = limited.killsAtEnd?.() ?? 0
  return end.kind === 'exited' && memoryKills > 0 ? { ...end, memoryKills } : end
}

/** No other directory has the same while this one is mounted in a sandbox, also where it was removed. */
export function identityOf(directory: string): string {
  const stat = statSync(directory, { bigint: true, throwIfNoEntry: false })
  return `${stat?.dev}:${stat?.ino}`
}
