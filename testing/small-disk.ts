import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirement } from './requirement.ts'

/** A small file system in memory. */
export class SmallDisk implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'fenced-disk-'))

  /** @param options - of `mount`, such as `size=2m` or `ro`. */
  constructor(options: string) {
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', this.path])
    if (status === 0) return
    rmSync(this.path, { recursive: true })
    throw new Error(`It cannot be mounted: ${stderr ?? 'there is no program mount.'}`)
  }

  [Symbol.dispose](): void {
    spawnSync('umount', ['--lazy', this.path])
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** The right to mount one. */
export const smallDisk = requirement('small-disk', problem())

function problem(): string | undefined {
  try {
    new SmallDisk('size=64k')[Symbol.dispose]()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
