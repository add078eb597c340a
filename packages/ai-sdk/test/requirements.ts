import { DockerSandbox } from '@fenced/sandbox-docker'
import { LocalSandbox } from '@fenced/sandbox-local'
import { requirement } from '@fenced/testing'

/** The images that the tests run in, as packages/executor-docker makes them. The second has a shell and nothing else. */
export const images = { python: 'fenced-test/python', busybox: 'fenced-test/busybox' } as const

/** What the tests need of this machine. */
export const bubblewrap = requirement('bubblewrap', await problemOf(new LocalSandbox(isolated())))
export const docker = requirement(
  'docker',
  (await problemOf(inContainer(images.python))) ?? (await problemOf(inContainer(images.busybox))),
)

/** Without limits, which not every machine can hold. */
export function isolated() {
  return { isolation: 'bubblewrap', memoryBytes: false, pids: false } as const
}

export function inContainer(image: string) {
  return new DockerSandbox({ image, pull: 'never' })
}

async function problemOf(sandbox: LocalSandbox | DockerSandbox): Promise<string | undefined> {
  try {
    await sandbox.start()
    await sandbox.stop()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
