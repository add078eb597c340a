import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HostWorkDirectory } from '@fenced/core/driver'
// @boundaries-ignore The contract suites are tested with this backend; no package exports it.
import { LocalBackend } from '../../contract/test/local-backend.fixture.ts'
import { type LaunchedSandbox, SupervisedSandbox, type SuperviseOptions } from '../src/index.ts'
import { ContainedBackend, namespaces } from './contained-backend.ts'

/** Options of {@link localSandbox}. */
export interface LocalSandboxOptions extends Partial<SuperviseOptions> {
  /**
   * Whether the sandbox has a process namespace and a work directory that are not the machine's.
   *
   * @default where bubblewrap works
   */
  readonly isContained?: boolean
  /**
   * Whether a contained sandbox shares the machine's network.
   *
   * @default true
   */
  readonly hasNetwork?: boolean
  /**
   * Whether the sandbox uses the working directory itself, not a copy of it.
   *
   * @default true
   */
  readonly isMounted?: boolean
  /** Changes the result of a launch. */
  readonly change?: (made: LaunchedSandbox) => Partial<LaunchedSandbox>
}

/** A supervised sandbox of local processes. */
export interface LocalSandbox {
  readonly sandbox: SupervisedSandbox
  /** Path of the working directory on this machine. */
  readonly hostPath: string
  /** Results of its launches, newest last. */
  readonly launches: readonly LaunchedSandbox[]
}

/** Makes a sandbox that has not started. Its backend starts processes of this machine. */
export function localSandbox(given: LocalSandboxOptions = {}): LocalSandbox {
  const { isContained = !namespaces.missing, hasNetwork = true, isMounted = true, change, ...options } = given
  const inside = join(tmpdir(), `fenced-inside-${randomUUID()}`)
  const workDirectory = new HostWorkDirectory(isMounted ? {} : { mountedAt: inside })
  const launches: LaunchedSandbox[] = []
  const sandbox = new SupervisedSandbox({
    name: 'local',
    capabilities: { isolation: 'none', network: 'open', limits: { memory: false, processes: false } },
    launch: async ({ signal }) => {
      await mkdir(inside)
      const backend = isContained
        ? await ContainedBackend.start({ directory: inside, hasNetwork, signal })
        : new LocalBackend(inside)
      const made = { id: randomUUID(), backend, isMounted, isExclusive: isContained }
      const launched = { ...made, ...change?.(made) }
      launches.push(launched)
      return launched
    },
    workDirectory,
    ...options,
  })
  return { sandbox, hostPath: workDirectory.hostPath, launches }
}
