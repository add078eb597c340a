import { readFileSync } from 'node:fs'
import type Docker from 'dockerode'
import { isGone } from './remove-container.ts'

/** Docker and Podman mount such files of the container's own into it. */
const ownMount = /\/([0-9a-f]{64})\/(?:userdata\/)?(?:hostname|hosts|resolv\.conf) /

/** The id of the container in which this process runs, as its mounts show it; `undefined` outside of one. */
export function idInMounts(mounts: string): string | undefined {
  return ownMount.exec(mounts)?.[1]
}

/** Of the engines that were asked before. */
const known = new WeakMap<Docker, Promise<string | undefined>>()

/**
 * Names the container in which this process runs, and its start, where that is a container of the same engine: a later process in
 * another container cannot look the process up, and can ask the engine.
 */
export function hostContainer(docker: Docker): Promise<string | undefined> {
  const asked = known.get(docker) ?? askFor(docker)
  known.set(docker, asked)
  return asked
}

/** Whether a container that {@link hostContainer} named has ended, and with it the process. `false` also where that is not known. */
export async function hasHostEnded(docker: Docker, name: string, signal: AbortSignal): Promise<boolean> {
  const [id = ''] = name.split('@')
  if (!/^[0-9a-f]{64}$/.test(id)) return false
  try {
    return (await nameOf(docker, id, signal)) !== name
  } catch (error) {
    return isGone(error)
  }
}

async function askFor(docker: Docker): Promise<string | undefined> {
  try {
    const id = idInMounts(readFileSync('/proc/self/mountinfo', 'latin1'))
    return id === undefined ? undefined : await nameOf(docker, id, AbortSignal.timeout(10_000))
  } catch {
    return undefined
  }
}

/** `undefined` when it does not run. */
async function nameOf(docker: Docker, id: string, abortSignal: AbortSignal): Promise<string | undefined> {
  const { State } = await docker.getContainer(id).inspect({ abortSignal })
  return State.Running || State.Paused ? `${id}@${State.StartedAt}` : undefined
}
