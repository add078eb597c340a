// @module-tag all

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { run } from './support.ts'

const smallDisk = requirement('small-disk', unlessMounted(mkdtempSync(join(tmpdir(), 'fenced-disk-'))))

/** Tries whether a disk can be made, and says why not. */
function unlessMounted(path: string): string | undefined {
  try {
    return mount(path)
  } finally {
    unmount(path)
  }
}

function mount(path: string): string | undefined {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path])
  return status === 0 ? undefined : `it cannot be mounted: ${stderr ?? 'there is no program mount.'}`
}

function unmount(path: string): void {
  spawnSync('umount', ['--lazy', path])
  rmSync(path, { recursive: true, force: true })
}

/** Leaves no room at all, and shows a picture that is none: only its size counts. */
const fillAndShow = [
  'from IPython.display import Image, display',
  "with open('filler', 'wb', buffering=0) as filler:",
  '    try:',
  "        while filler.write(b'x' * 4096): pass",
  '    except OSError as error: print(error.strerror)',
  "display(Image(b'\\x89PNG' + b'x' * 20_000, format='png'))",
]

describe.skipIf(smallDisk.missing)('on a disk without room', () => {
  describeBothWays((create) => {
    test('a picture is not called saved, and the model reads why; with room again the next one is', async () => {
      const workDir = mkdtempSync(join(tmpdir(), 'fenced-disk-'))
      mount(workDir)
      onTestFinished(() => unmount(workDir))
      await using executor = create({ workDir })
      const full = await run(executor, ...fillAndShow)
      expect(full).toMatchObject({ status: 'ok', files: [{ path: 'filler' }] })
      expect(full.output).toMatch(/^No space left on device\nImage data saved to \S+\n/)
      expect(full.blocks[0]?.notices).toMatchObject([
        { code: 'result-not-saved', data: { systemCode: 'ENOSPC' } },
      ])
      const saved = await run(executor, 'import os', "os.remove('filler')", ...fillAndShow.slice(-1))
      expect(saved.output).toMatch(/^Image data saved to \S+\n$/)
      expect(saved.files.filter(({ path }) => existsSync(join(workDir, path)))).toHaveLength(1)
    })
  })
})
