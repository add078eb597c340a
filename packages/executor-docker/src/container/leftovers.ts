import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname } from 'node:path'
import type Docker from 'dockerode'
import { ownerOf, realmFilter, temporaryDirectoryOf } from './labels.ts'
import { isGone } from './owner.ts'
import { removeContainer } from './remove-container.ts'

/**
 * Removes the containers of processes that ended without removing them (SIGKILL, a crash), and then their temporary
 * directories. Only those that this user's processes made on this machine, and only if the process is gone.
 *
 * @returns how many there were.
 */
export async function removeLeftovers(docker: Docker, signal: AbortSignal): Promise<number> {
  const containers = await docker.listContainers({
    all: true,
    filters: { label: [realmFilter()] },
    abortSignal: signal,
  })
  const left = containers.filter(({ Labels }) => isGone(ownerOf(Labels)))
  await Promise.all(
    left.map(async ({ Id, Labels }) => {
      await removeContainer(docker.getContainer(Id))
      await removeTemporary(temporaryDirectoryOf(Labels))
    }),
  )
  return left.length
}

/** A label is only text: nothing is removed that is not a temporary directory of ours. */
async function removeTemporary(path: string | undefined): Promise<void> {
  if (path === undefined || dirname(path) !== tmpdir() || !/^fenced-[0-9a-f]{16}$/.test(basename(path)))
    return
  await rm(path, { recursive: true, force: true }).catch(() => {})
}
