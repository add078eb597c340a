import assert from 'node:assert/strict'
import { once } from 'node:events'
import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { archivesOf } from '@fenced/core/sandbox'
import { outputOf, patienceMs, run, soon } from './backend-commands.ts'
import type { BackendRow, BackendUnderTest } from './backend-row.ts'
import { type NewTarEntry, readTar, type TarEntry, writeTar } from './tar.ts'

const inTime = () => ({ signal: AbortSignal.timeout(patienceMs) })

/** Puts entries into a directory that it makes below the sandbox's own, and returns its path. */
async function put(
  { backend, directory }: BackendUnderTest,
  name: string,
  entries: readonly NewTarEntry[],
): Promise<string> {
  const path = `${directory}/${name}`
  await run({ backend, directory }, ['mkdir', '-p', path])
  await archivesOf(backend).put(path, Readable.from([writeTar(entries)]), inTime())
  return path
}

async function get({ backend }: BackendUnderTest, path: string): Promise<TarEntry[] | undefined> {
  const archive = await archivesOf(backend).get(path, inTime())
  return archive === undefined ? undefined : readTar(await buffer(archive))
}

async function contentsOf(
  target: BackendUnderTest,
  path: string,
): Promise<[name: string, content: string][]> {
  return ((await get(target, path)) ?? []).map(({ name, content }) => [name, `${content}`])
}

const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256))

/** Names that a program can give its files, and that something in between may take for something else. */
const oddNames = [
  ' ',
  '-rf',
  '--help',
  '$(touch injected)',
  '`touch injected`',
  '; touch injected;',
  'a\nb',
  '"quotes\'',
  '\u{1f600} \u00fc',
  `${'x'.repeat(99)}`,
]

export const backendArchiveRows: readonly BackendRow[] = [
  {
    name: 'an archive is unpacked below a directory: files, directories and their modes',
    async check(target) {
      await put(target, 'put', [
        { name: 'data', mode: 0o604, content: 'some data' },
        { name: 'empty', mode: 0o644, content: '' },
        { name: 'folder', mode: 0o705 },
        { name: 'folder/below', mode: 0o755 },
        { name: 'folder/below/program', mode: 0o755, content: '#!/bin/sh\necho ran\n' },
      ])
      const script =
        'cd put; cat data; echo; wc -c < empty; ls -ld data folder | cut -c 1-10; folder/below/program'
      const lines = (await outputOf(target, script)).split('\n').map((line) => line.trim())
      assert.deepEqual(lines, ['some data', '0', '-rw----r--', 'drwx---r-x', 'ran', ''])
    },
  },
  {
    name: 'an archive is added to what is there, and replaces files of the same name',
    async check(target) {
      const path = await put(target, 'added', [
        { name: 'one', mode: 0o644, content: 'one' },
        { name: 'two', mode: 0o644, content: 'two' },
      ])
      const archive = writeTar([{ name: 'two', mode: 0o644, content: 'new' }])
      await archivesOf(target.backend).put(path, Readable.from([archive]), inTime())
      assert.equal(await outputOf(target, 'cd added; cat one two'), 'onenew')
    },
  },
  {
    name: 'an archive that breaks off, one that is cut, and what is none are refused',
    async check(target) {
      const whole = writeTar([{ name: 'file', mode: 0o644, content: bytes }])
      async function* broken() {
        yield whole.subarray(0, 100_000)
        throw new Error('The archive breaks off.')
      }
      const refused = await put(target, 'refused', [])
      const archives = {
        'an archive that breaks off': Readable.from(broken()),
        'an archive that is cut': Readable.from([whole.subarray(0, 100_000)]),
        'what is none': Readable.from([Buffer.alloc(2_000, 'no archive ')]),
      }
      for (const [name, archive] of Object.entries(archives)) {
        const putting = archivesOf(target.backend).put(refused, archive, inTime())
        await assert.rejects(soon(putting, `${name} is waited for`), Error, name)
      }
      assert.equal(await outputOf(target, 'echo usable'), 'usable\n')
    },
  },
  {
    name: 'a file comes as an archive, byte for byte, with its name and mode',
    async check(target) {
      const path = await put(target, 'file', [{ name: 'bytes', mode: 0o754, content: bytes }])
      const [entry, ...more] = (await get(target, `${path}/bytes`)) ?? []
      assert.deepEqual(more, [])
      assert.partialDeepStrictEqual(entry, { name: 'bytes', kind: 'file', mode: 0o754 })
      assert.ok(entry?.content.equals(bytes))
    },
  },
  {
    name: 'a directory comes with all that is in it, and a link as a link',
    async check(target) {
      const script =
        'mkdir -p tree/deep/empty; cd tree; printf in > deep/file; : > .hidden; ln -s /etc/passwd link'
      await outputOf(target, script)
      const entries = (await get(target, `${target.directory}/tree`)) ?? []
      const kinds = Object.fromEntries(entries.map(({ name, kind }) => [name, kind]))
      assert.deepEqual(kinds, {
        tree: 'directory',
        'tree/.hidden': 'file',
        'tree/deep': 'directory',
        'tree/deep/empty': 'directory',
        'tree/deep/file': 'file',
        'tree/link': 'link',
      })
      assert.equal(entries.find(({ name }) => name === 'tree/deep/file')?.content.toString(), 'in')
    },
  },
  {
    name: 'what is not there is undefined',
    async check(target) {
      await outputOf(target, ': > no-directory')
      for (const name of ['missing', 'missing/below', 'no-directory/below']) {
        assert.equal(await get(target, `${target.directory}/${name}`), undefined, name)
      }
    },
  },
  {
    name: 'names of every kind go in and come out, of files and of directories',
    async check(target) {
      const entries = oddNames.map((name) => ({ name, mode: 0o644, content: `in ${name}` }))
      const path = await put(target, 'odd', entries)
      for (const name of oddNames)
        assert.deepEqual(await contentsOf(target, `${path}/${name}`), [[name, `in ${name}`]])
      const folders = oddNames.map((name) => `${target.directory}/odd names/${name}`)
      await run(target, ['mkdir', '-p', ...folders])
      for (const folder of folders) {
        await archivesOf(target.backend).put(folder, Readable.from([writeTar(entries)]), inTime())
        const name = posix.basename(folder)
        const expected = [[name, ''], ...entries.map((entry) => [`${name}/${entry.name}`, entry.content])]
        assert.deepEqual((await contentsOf(target, folder)).toSorted(), expected.toSorted())
      }
      const found = await outputOf(target, 'find . -name injected')
      assert.equal(found, '', 'a name was taken for a command')
    },
  },
  {
    name: 'a name that could be a pattern is only that name',
    async check(target) {
      const names = ['*', '[a-z]*', '?', 'back\\nslash', '\\']
      const entries = ['a', 'b', ...names].map((name) => ({ name, mode: 0o644, content: `in ${name}` }))
      for (const folder of ['patterns', 'pattern*']) {
        const path = await put(target, folder, entries)
        for (const name of names) {
          assert.deepEqual(await contentsOf(target, `${path}/${name}`), [[name, `in ${name}`]])
        }
      }
    },
  },
  {
    name: 'an archive that is let go of before its end holds up nothing',
    async check(target) {
      await outputOf(target, 'head -c 52428800 /dev/zero > large')
      const archive = await archivesOf(target.backend).get(`${target.directory}/large`, inTime())
      assert.ok(archive !== undefined)
      archive.on('error', () => {})
      await once(archive, 'readable')
      archive.destroy()
      assert.equal(
        await soon(outputOf(target, 'rm large; echo usable'), 'the sandbox is held up'),
        'usable\n',
      )
    },
  },
  {
    name: 'an aborted signal ends a call, also one that is under way, and its reason is what it rejects with',
    async check({ backend, directory }) {
      const archives = archivesOf(backend)
      const reason = new Error('not wanted')
      const aborted = { signal: AbortSignal.abort(reason) }
      await assert.rejects(archives.get(directory, aborted), reason)
      await assert.rejects(archives.put(directory, Readable.from([writeTar([])]), aborted), reason)
      const controller = new AbortController()
      const endless = new Readable({ read() {} })
      endless.push(writeTar([{ name: 'never', mode: 0o644, content: bytes }]).subarray(0, 50_000))
      const putting = archives.put(directory, endless, controller)
      setTimeout(() => controller.abort(reason), 200)
      await assert.rejects(soon(putting, 'it is waited for'), reason)
    },
  },
  {
    name: 'a signal that is aborted after its calls have ended changes nothing',
    async check(target) {
      const { directory } = target
      const archives = archivesOf(target.backend)
      const controller = new AbortController()
      assert.equal(await archives.get(`${directory}/not-there`, controller), undefined)
      await put(target, 'there', [{ name: 'data', mode: 0o644, content: 'some data' }])
      const archive = await archives.get(`${directory}/there`, controller)
      if (archive !== undefined) await buffer(archive)
      controller.abort(new Error('not wanted'))
      assert.equal(await outputOf(target, 'echo usable'), 'usable\n')
    },
  },
]
