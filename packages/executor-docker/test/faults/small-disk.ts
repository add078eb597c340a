import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'

/** A disk of a size of its own can be made: a tmpfs. */
export const smallDisk = requirement('tmpfs', problem())

/** A small disk, that can be filled. */
export class SmallDisk implements Disposable {
  readonly path: string

  constructor(sizeBytes: number, path = mkdtempSync(join(tmpdir(), 'fenced-disk-'))) {
    this.path = path
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', path])
    if (status !== 0) throw new Error(`mount: ${stderr}`)
  }

  /** Leaves no room, not even for a byte. */
  fill(): void {
    const file = openSync(this.#filler, 'a')
    try {
      for (const size of [65_536, 4_096, 1]) while (append(file, size));
    } finally {
      closeSync(file)
    }
  }

  /** Makes room again. */
  clear(): void {
    rmSync(this.#filler, { force: true })
  }

  get #filler(): string {
    return join(this.path, 'filler')
  }

  [Symbol.dispose](): void {
    spawnSync('umount', ['--lazy', this.path])
    rmSync(this.path, { recursive: true, force: true })
  }
}

function append(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) === size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}

function problem(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux may mount it'
  const path = mkdtempSync(join(tmpdir(), 'fenced-disk-'))
  try {
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path])
    if (status !== 0) return `it cannot be mounted: ${stderr}`
    spawnSync('umount', ['--lazy', path])
    return undefined
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}
