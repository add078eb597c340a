import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SandboxFacts } from '@fenced/sandbox'
import { hashOfRequest } from '../container/container-request.ts'
import type { ContainerPlan, WorkDirectoryMode } from './container-plan.ts'
import { workingDirectoryInside } from './sandbox-options.ts'
import { programEnvironment, sandboxRequest } from './sandbox-request.ts'

/** What containers of this process turned out to have, by {@link keyOfFacts}. */
const known = new Map<string, SandboxFacts>()

const maxKnown = 100

/**
 * Names all that decides what a container has. Directories beside each other with the same owner and permissions are alike.
 *
 * @returns `undefined` where something may decide it that changes: what is mounted, or what is in the working directory.
 */
export async function keyOfFacts(plan: ContainerPlan, mode: WorkDirectoryMode): Promise<string | undefined> {
  const { engine, settings, user, programs, workDirectory } = plan
  const isOfImage = settings.volumes.length === 0 && Object.keys(settings.createOptions).length === 0
  if (!isOfImage || mayFindInDirectory(plan)) return undefined
  const { HostConfig, ...request } = sandboxRequest(plan, mode)
  // Without the volumes there is the working directory only.
  const made = hashOfRequest({ ...request, name: '', HostConfig: { ...HostConfig, Mounts: [] } })
  const beside = dirname(settings.bindDir ?? workDirectory.hostPath)
  const directory = await stat(workDirectory.hostPath).catch(() => undefined)
  if (directory === undefined) return undefined
  const { dev, uid, gid, mode: access } = directory
  const { address } = engine.endpoint
  return JSON.stringify([address, made, user, programs, mode, beside, dev, uid, gid, access])
}

/** What was found in a container of the same key before; asks otherwise. */
export async function knownFacts(
  key: string | undefined,
  ask: () => Promise<SandboxFacts>,
): Promise<SandboxFacts> {
  const before = key === undefined ? undefined : known.get(key)
  if (before !== undefined) return before
  const facts = await ask()
  if (key !== undefined) remember(key, facts)
  return facts
}

/** The next container is looked at again. */
export function forgetFacts(key: string | undefined): void {
  if (key !== undefined) known.delete(key)
}

function remember(key: string, facts: SandboxFacts): void {
  known.set(key, facts)
  const [oldest] = known.keys()
  if (known.size > maxKnown && oldest !== undefined) known.delete(oldest)
}

/** Whether programs are looked for in the working directory as well. */
function mayFindInDirectory(plan: ContainerPlan): boolean {
  const { PATH = '' } = programEnvironment(plan)
  return PATH.split(':').some(
    (folder) => !folder.startsWith('/') || `${folder}/`.startsWith(`${workingDirectoryInside}/`),
  )
}
