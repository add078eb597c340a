import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type ScratchDirectory, scratchDirectory } from '../scratch-directory.ts'

/** The package that the wheels are of. */
export const packages = ['small']

/** Where pip and uv take packages from. */
export interface Wheels extends ScratchDirectory {
  readonly installEnv: Readonly<Record<string, string>>
}

/** An index of our own: no network has a part in what is measured. */
export async function makeWheels(python: string): Promise<Wheels> {
  const scratch = await scratchDirectory()
  const { path } = scratch
  await promisify(execFile)(python, [fileURLToPath(new URL('./make-wheels.py', import.meta.url)), path])
  const installEnv = {
    PIP_NO_INDEX: '1',
    PIP_FIND_LINKS: path,
    UV_NO_INDEX: '1',
    UV_FIND_LINKS: path,
    UV_OFFLINE: '1',
    UV_CACHE_DIR: `${path}/uv-cache`,
  }
  return { ...scratch, installEnv }
}
