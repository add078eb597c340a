import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { formatOwner, thisOwner } from '../../src/process-owner.ts'
import { liveLeases, writeLease } from '../../src/work-directory/lease-folder.ts'

const record = { path: '/some/where', lineage: [{ id: `${process.pid}:0`, born: '0' }], allowsShared: false }

/** Leases that this test wrote. */
function found() {
  return [...liveLeases('open')].filter(({ lineage }) => lineage[0]?.id === record.lineage[0]?.id)
}

test('a lease is found with its process until it is removed, and only this user can read it', () => {
  const path = writeLease('open', record)
  expect(found()).toEqual([{ ...record, processId: process.pid }])
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
