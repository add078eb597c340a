import { stat } from 'node:fs/promises'
import type Docker from 'dockerode'
import { workingDirectoryInside } from '../container/create-options.ts'

/**
 * Whether the directory that was mounted is the one on this machine: another machine may have one of the same
 * name. They are the same when they were changed at the same time, to the second, which is what every way of
 * sharing files keeps.
 */
export async function isShared(
  container: Docker.Container,
  hostPath: string,
  signal: AbortSignal,
): Promise<boolean> {
  // Somebody may write into it between the two looks.
  for (let attempt = 0; attempt < 3; attempt++) {
    const inside = await changedInside(container, signal)
    const { mtimeMs } = await stat(hostPath)
    if (Math.floor(mtimeMs / 1000) === Math.floor(inside / 1000)) return true
  }
  return false
}

/** In milliseconds since 1970 (Docker Engine API, "Get information about files in a container"). */
async function changedInside(container: Docker.Container, signal: AbortSignal): Promise<number> {
  const answer = (await container.infoArchive({
    path: workingDirectoryInside,
    abortSignal: signal,
  })) as NodeJS.ReadableStream & {
    headers: Record<string, string>
  }
  answer.resume()
  const described = Buffer.from(answer.headers['x-docker-container-path-stat'] ?? '', 'base64').toString()
  return Date.parse((JSON.parse(described) as { mtime: string }).mtime)
}

/** What tells a directory from another one that is made later under its name; a mount goes on showing the first. */
export async function identityOf(hostPath: string): Promise<string> {
  const { dev, ino } = await stat(hostPath, { bigint: true })
  return `${dev} ${ino}`
}
