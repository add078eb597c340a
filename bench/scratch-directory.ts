import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ScratchDirectory extends AsyncDisposable {
  readonly path: string
}

/** A directory of our own, removed when it is disposed. */
export async function scratchDirectory(): Promise<ScratchDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'fenced-bench-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
