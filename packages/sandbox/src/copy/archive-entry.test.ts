import { expect, test } from 'vitest'
import type { RawEntry, TarHeader } from './archive-entry.ts'
import { archiveEntry } from './archive-entry.ts'

const plain = { type: 'file', size: 3, mode: 0o100644, mtime: new Date(5_999), linkname: '', pax: null }

const entry = (header: Partial<TarHeader>, root = '') =>
  archiveEntry({ header: { ...plain, ...header } } as unknown as RawEntry, root)

test('the name of an entry is below what was asked for', ({ everyRow }) =>
  everyRow<[root: string, nameInArchive: string, name: string]>(
    [
      ['', 'workspace/', ''],
      ['', 'workspace', ''],
      ['', './', ''],
      ['', 'workspace/sub/', 'sub'],
      ['', 'workspace/sub/a', 'sub/a'],
      ['', './sub/a', 'sub/a'],
      ['sub', 'sub/', 'sub'],
      ['sub', 'sub/a', 'sub/a'],
      ['sub/deep', 'deep/a', 'sub/deep/a'],
      ['sub/a', 'a', 'sub/a'],
    ],
    (root, nameInArchive, name) => {
      expect(entry({ name: nameInArchive, type: 'directory' }, root)).toMatchObject({
        kind: 'directory',
        name,
      })
    },
  ))

test('a file has a look', () => {
  expect(entry({ name: 'workspace/a' })).toMatchObject({
    kind: 'file',
    name: 'a',
    look: { sizeBytes: 3, modifiedSeconds: 5, mode: 0o644 },
  })
  expect(entry({ name: 'workspace/a', mode: 0o104711 })).toMatchObject({ look: { mode: 0o711 } })
})

test('a hard link leads to a name of the same archive', () => {
  expect(entry({ name: 'workspace/b', type: 'link', linkname: 'workspace/sub/a' })).toMatchObject({
    kind: 'hard link',
    name: 'b',
    target: 'sub/a',
  })
})

test.each<[type: string | null, why: string]>([
  ['symlink', 'is a symbolic link'],
  ['fifo', 'is not a regular file'],
  ['block-device', 'is not a regular file'],
  ['character-device', 'is not a regular file'],
  [null, 'is not a regular file'],
])('an entry of the type %j is not brought', (type, why) => {
  expect(entry({ name: 'workspace/a', type: type as TarHeader['type'] })).toMatchObject({
    kind: 'other',
    name: 'a',
    why,
  })
})

test('an entry that leads elsewhere is refused', ({ everyRow }) =>
  everyRow<[header: Partial<TarHeader>, why: RegExp]>(
    [
      [{ name: 'workspace/../evil' }, /cannot be used/],
      [{ name: 'workspace/a/../../evil' }, /cannot be used/],
      [{ name: 'workspace/..', type: 'directory' }, /cannot be used/],
      [{ name: 'workspace//etc/passwd' }, /cannot be used/],
      [{ name: 'workspace/./a' }, /cannot be used/],
      [{ name: 'workspace/a\0b' }, /cannot be used/],
      [{ name: 'workspace/bad\uFFFD' }, /UTF-8/],
      [{ name: 'workspace/a', pax: { 'GNU.sparse.major': '1' } }, /sparse/],
    ],
    (header, why) => {
      expect(entry(header)).toMatchObject({ kind: 'refused', why: expect.stringMatching(why) })
    },
  ))
