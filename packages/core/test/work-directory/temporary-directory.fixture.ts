import { readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory of this test's own, removed at the end of its block. */
export async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'fenced-test-')))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** The paths below a directory that this process has open. Descriptors of other tests in this process do not count. */
export function openPaths(directory: string): string[] {
  return readdirSync('/proc/self/fd')
    .map(pathOf)
    .filter((path) => path.startsWith(directory))
}

function pathOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    // It was closed after it was listed, as the descriptor of the listing always is.
    return ''
  }
}
