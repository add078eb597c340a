import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DirectoryLease } from '../../src/work-directory/directory-lease.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

const refused = expect.objectContaining({ code: 'WORK_DIR_SHARED' })

test('a directory that gets the inode of one that was removed is free', async () => {
  await using folder = await temporaryDirectory()
  const [work, below] = [join(folder.path, 'work'), join(folder.path, 'work/below')]
  const [isolated, open] = [
    new DirectoryLease({ isolation: 'container' }),
    new DirectoryLease({ isolation: 'none' }),
  ]
  for (const path of [work, below]) {
    mkdirSync(below, { recursive: true })
    isolated.take(path)
    rmSync(work, { recursive: true })
    // On many file systems one of these has the inode of the one that was removed.
    for (const name of ['a', 'b', 'c']) {
      mkdirSync(join(folder.path, name))
      open.take(join(folder.path, name))
    }
    for (const name of ['a', 'b', 'c']) rmSync(join(folder.path, name), { recursive: true })
  }
  for (const lease of [isolated, open]) lease.release()
})

test('a directory that was moved is taken, and so is one in a directory that was moved', async () => {
  await using folder = await temporaryDirectory()
  const [before, after] = [join(folder.path, 'before'), join(folder.path, 'after')]
  mkdirSync(join(before, 'work'), { recursive: true })
  const isolated = new DirectoryLease({ isolation: 'bubblewrap' })
  isolated.take(join(before, 'work'))
  renameSync(before, after)
  for (const path of [after, join(after, 'work')])
    expect(() => new DirectoryLease({ isolation: 'none' }).take(path)).toThrow(refused)
  isolated.release()
})
