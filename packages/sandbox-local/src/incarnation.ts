import { randomUUID } from 'node:crypto'
import type { HostWorkDirectory, StartContext } from '@fenced/core/driver'
import type { SandboxProcess } from '@fenced/core/sandbox'
import { type Environment, type ProcessRoot, programEnvironment } from '@fenced/host'
import type { ListedNetwork } from '@fenced/sandbox/driver'
import type { LocalInterpreters } from './interpreters.ts'
import { Bubblewrap } from './isolation/bubblewrap.ts'
import { BubblewrapNetwork } from './isolation/bubblewrap-network.ts'
import { findLimiter } from './isolation/limiter.ts'
import type { Limiter } from './isolation/limits.ts'
import { protectPythons } from './isolation/protected-pythons.ts'
import { findReadable } from './isolation/readable-paths.ts'
import type { LocalSandboxSettings } from './options.ts'
import { withSamePrograms } from './same-programs.ts'

/** A process of a sandbox, of which others can be found. */
export type LocalRoot = SandboxProcess & ProcessRoot

/** What a start makes, and `stop` ends. */
export interface Incarnation {
  readonly id: string
  readonly environment: Environment
  /** Directories that the languages' programs need to read. */
  readonly directories: readonly string[]
  readonly limiter: Limiter | undefined
  readonly bubblewrap: Bubblewrap | undefined
  /** By list. */
  readonly network: BubblewrapNetwork | undefined
  readonly processes: Set<LocalRoot>
}

/** Parts of a sandbox that every start uses. */
export interface IncarnationParts {
  readonly settings: LocalSandboxSettings
  readonly shared: HostWorkDirectory
  readonly interpreters: LocalInterpreters
  readonly listed: ListedNetwork | undefined
}

/** Makes what a start needs before its first process. Nothing of it is left when this rejects. */
export async function makeIncarnation(parts: IncarnationParts, context: StartContext): Promise<Incarnation> {
  const { settings, shared, interpreters, listed } = parts
  const environment = programEnvironment(process.env, settings)
  const isIsolated = settings.isolation !== 'none'
  // Without isolation, code can replace every program of this user anyway.
  const { python } = settings
  const host = { python, path: environment.PATH ?? '', host: process.env }
  const pythons = isIsolated ? await protectPythons(shared.path, host) : undefined
  const same = await withSamePrograms(environment, interpreters, settings)
  const made = { id: randomUUID(), ...same, processes: new Set<LocalRoot>() }
  if (pythons === undefined) return { ...made, limiter: undefined, bubblewrap: undefined, network: undefined }
  const readable = findReadable(settings.readable, shared.path)
  const limiter = await findLimiter(settings, context)
  try {
    const directories = { workDir: shared.path, realWorkDir: shared.realPath }
    const network = settings.network === 'open'
    const options = { ...directories, ...pythons, readable, network, limiter }
    const bubblewrap = await Bubblewrap.find(options, context)
    const listedNetwork =
      listed && (await BubblewrapNetwork.of(listed, await interpreters.find({ id: 'python' })))
    return { ...made, limiter, bubblewrap, network: listedNetwork }
  } catch (error) {
    await limiter?.end()
    throw error
  }
}
