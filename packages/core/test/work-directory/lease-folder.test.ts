import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { formatOwner, thisOwner } from '@fenced/shared'
import { expect, test } from 'vitest'
import { identityOf } from '../../src/work-directory/directory-identity.ts'
import { liveLeases, writeLease } from '../../src/work-directory/lease-folder.ts'
import { temporaryFileTag } from '../../src/work-directory/temporary-files.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

const record = {
  ...{ path: '/some/where', lineage: [{ id: `${process.pid}:0`, born: '0' }] },
  ...{ allowsShared: false, isGuest: false },
}

/** Leases that this test wrote. */
function found() {
  return [...liveLeases('open')].filter(({ lineage }) => lineage[0]?.id === record.lineage[0]?.id)
}

test('a lease is found with its process until it is removed, and only this user can read it', () => {
  const path = writeLease('open', record)
  expect(found()).toEqual([{ ...record, kind: 'open', processId: process.pid, file: path }])
  rmSync(path)
  expect(found()).toEqual([])
})

const owner = thisOwner()

test.skipIf(owner.processStart === '').each([
  [
    'a process number that another process has now',
    { processStart: owner.processStart.replace(/\d+$/, '1') },
  ],
  ['an earlier boot under another host name', { realm: 'f'.repeat(32), processStart: '00000000-0000 1' }],
])('a lease of %s is stale', (_, changes) => {
  const path = writeLease('open', record)
  const stale = join(
    dirname(path),
    basename(path).replace(formatOwner(owner), formatOwner({ ...owner, ...changes })),
  )
  writeFileSync(stale, readFileSync(path))
  rmSync(path)
  expect(found()).toEqual([])
  expect(existsSync(stale)).toBe(false)
})

test('a lease of another process table on the same boot counts', () => {
  const path = writeLease('open', record)
  const other = join(dirname(path), basename(path).replace(owner.realm, 'f'.repeat(32)))
  writeFileSync(other, readFileSync(path))
  rmSync(path)
  expect(found()).toHaveLength(1)
  rmSync(other)
})

const ofThisProcess = `.fenced-${temporaryFileTag}0.py`
const ofAnother = '.fenced-0123456789.py'

test.skipIf(owner.processStart === '').each([
  ['removes its temporary files, and nothing else', 'same', [ofAnother, 'data', 'link']],
  [
    'removes nothing where another directory has its path',
    'other',
    [ofAnother, ofThisProcess, 'data', 'link'],
  ],
])('the next lease after that of a killed process %s', async (_, which, kept) => {
  await using folder = await temporaryDirectory()
  const [work, outside] = [join(folder.path, 'work'), join(folder.path, 'outside')]
  mkdirSync(work)
  const lease = writeLease('open', { ...record, path: work, lineage: [identityOf(work)] })
  // The process that has this number now started at another time.
  const processStart = owner.processStart.replace(/\d+$/, '1')
  const killed = basename(lease).replace(formatOwner(owner), formatOwner({ ...owner, processStart }))
  if (which === 'other') {
    renameSync(work, join(folder.path, 'moved'))
    mkdirSync(work)
  }
  for (const path of [outside, ...[ofThisProcess, ofAnother, 'data'].map((name) => join(work, name))])
    writeFileSync(path, '')
  symlinkSync(outside, join(work, 'link'))
  // Last, because any other process that writes a lease may act on it from now on.
  renameSync(lease, join(dirname(lease), killed))
  rmSync(writeLease('isolated', record))
  expect(readdirSync(work).sort()).toEqual(kept.sort())
  expect(existsSync(outside)).toBe(true)
})
