import { setTimeout as delay } from 'node:timers/promises'
import type { StartContext } from '@fenced/core/driver'
import { removeLeftoverDirectory } from '@fenced/core/internal'
import { isOwnerGone } from '@fenced/shared'
import type Docker from 'dockerode'
import { hasHostEnded } from './host-container.ts'
import { labelNames, ownerOf } from './labels.ts'
import { removeContainer } from './remove-container.ts'

/** How long a start waits until they are gone, in milliseconds. */
const patienceMs = 3_000

/**
 * Removes the containers of processes that ended without removing them (SIGKILL, a crash), and then their temporary
 * directories. Includes only processes that have ended: of this user on this machine, or in an ended container of the same engine. A container that
 * the engine cannot remove, or not soon, does not delay the start; the next start tries again.
 *
 * @param context - receives the notices `leftovers-removed` and `leftovers-remain`.
 * @throws what the engine answers when it is asked for them.
 */
export async function removeLeftovers(docker: Docker, { signal, notice }: StartContext): Promise<void> {
  const containers = await docker.listContainers({
    all: true,
    filters: { label: [labelNames.processId] },
    abortSignal: signal,
  })
  // A proxy in front of it may answer anything.
  if (!Array.isArray(containers)) throw new Error('it answered with something else than a list of containers')
  const endedHosts = await endedHostsOf(docker, containers, signal)
  const left = containers.filter(
    ({ Labels }) => isOwnerGone(ownerOf(Labels)) || endedHosts.has(Labels[labelNames.hostContainer]),
  )
  let removed = 0
  const removals = left.map(async ({ Id, Labels }) => {
    await removeContainer(docker.getContainer(Id))
    const directory = Labels[labelNames.temporaryDirectory]
    // A label is only text: nothing is removed that is not a temporary directory of ours.
    if (directory !== undefined) await removeLeftoverDirectory(directory).catch(() => {})
    removed++
  })
  await settledWithin(patienceMs, removals, signal)
  const remaining = left.length - removed
  if (removed > 0) {
    const message = `Removed ${counted(removed)} left by a process that has ended.`
    notice({ code: 'leftovers-removed', message, data: { count: String(removed) } })
  }
  if (remaining > 0) {
    const message = `The engine has not removed ${counted(remaining)} left by a process that has ended. The next start tries again. To remove them yourself, run \`docker rm --force\`.`
    notice({ code: 'leftovers-remain', message, data: { count: String(remaining) } })
  }
}

/** The containers that have ended and in which processes ran that made some of these: nothing else here can look such a process up. */
async function endedHostsOf(
  docker: Docker,
  containers: readonly Docker.ContainerInfo[],
  signal: AbortSignal,
): Promise<ReadonlySet<string | undefined>> {
  const hosts = [...new Set(containers.flatMap(({ Labels }) => Labels[labelNames.hostContainer] ?? []))]
  const haveEnded = await Promise.all(hosts.map((host) => hasHostEnded(docker, host, signal)))
  return new Set(hosts.filter((_, index) => haveEnded[index]))
}

/** Actions that take longer continue in the background. */
async function settledWithin(
  limitMs: number,
  actions: readonly Promise<void>[],
  signal: AbortSignal,
): Promise<void> {
  const settled = new AbortController()
  const over = AbortSignal.any([settled.signal, signal])
  const tooLong = delay(limitMs, undefined, { signal: over }).catch(() => {})
  await Promise.race([Promise.allSettled(actions), tooLong])
  settled.abort()
  signal.throwIfAborted()
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'container' : 'containers'}`
}
