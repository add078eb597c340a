import assert from 'node:assert/strict'
import { buffer, text } from 'node:stream/consumers'
import type { Sandbox } from '@fenced/core/sandbox'
import type { SandboxRow } from './sandbox-row.ts'

async function contentOf(sandbox: Sandbox, path: string): Promise<string | undefined> {
  const content = await sandbox.files.read(path)
  return content === undefined ? undefined : text(content)
}

async function shell(sandbox: Sandbox, script: string, ...args: string[]): Promise<string> {
  const process = await sandbox.spawn(['/bin/sh', '-c', script, 'sh', ...args])
  return text(process.stdout)
}

/** Names that a program can give its files, and that something in between may take for something else. */
const oddNames = [
  ' ',
  '-rf',
  '*',
  '$(touch injected)',
  '; touch injected;',
  'a\nb',
  '"quotes\' and \\',
  '\u{1f600} \u00fc',
  `${'x'.repeat(200)}`,
]

export const sandboxFileRows: readonly SandboxRow[] = [
  {
    name: 'a file that was written is there for a process, and one of a process can be read',
    async check(sandbox) {
      await sandbox.files.write('folder/in.txt', 'written\n')
      assert.equal(await shell(sandbox, 'cat folder/in.txt'), 'written\n')
      await shell(sandbox, 'printf made > folder/out.txt')
      assert.equal(await contentOf(sandbox, `${sandbox.directory}/folder/out.txt`), 'made')
    },
  },
  {
    name: 'bytes stay as they are, also by the megabyte and in pieces',
    async check(sandbox) {
      const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256))
      async function* pieces() {
        for (let at = 0; at < bytes.length; at += 70_000) yield bytes.subarray(at, at + 70_000)
      }
      for (const content of [bytes, pieces()]) {
        await sandbox.files.write('bytes.bin', content)
        const read = await sandbox.files.read('bytes.bin')
        assert.ok(read !== undefined)
        assert.ok((await buffer(read)).equals(bytes))
      }
    },
  },
  {
    name: 'a large file is streamed in both directions, and each reports how much it has moved',
    async check(sandbox) {
      const piece = Buffer.alloc(1_000_000, 'large')
      const size = 16 * piece.length
      async function* pieces() {
        for (let count = 0; count < 16; count++) yield piece
      }
      const written: number[] = []
      await sandbox.files.write('large.bin', pieces(), { onProgress: (bytes) => written.push(bytes) })
      assert.deepEqual(
        written,
        Array.from({ length: 16 }, (_, index) => (index + 1) * piece.length),
      )
      const taken: number[] = []
      const read = await sandbox.files.read('large.bin', { onProgress: (bytes) => taken.push(bytes) })
      const expected = Buffer.alloc(4 * piece.length, 'large')
      let at = 0
      for await (const chunk of read ?? []) {
        const start = at % 5
        assert.ok(expected.subarray(start, start + chunk.length).equals(chunk))
        at += chunk.length
      }
      assert.deepEqual([at, taken.at(-1), taken.length > 1], [size, size, true])
      await sandbox.files.remove('large.bin')
      const small: number[] = []
      await sandbox.files.write('small', 'text', { onProgress: (bytes) => small.push(bytes) })
      assert.deepEqual(small, [4])
    },
  },
  {
    name: 'a file is written of a stream that has empty pieces',
    async check(sandbox) {
      async function* pieces() {
        for (const piece of ['', 'one ', '', 'two', '']) yield Buffer.from(piece)
      }
      await sandbox.files.write('pieces.txt', pieces())
      assert.equal(await contentOf(sandbox, 'pieces.txt'), 'one two')
    },
  },
  {
    name: 'a file is replaced as a whole, and keeps what was there when its content fails',
    async check(sandbox) {
      await sandbox.files.write('whole.txt', 'before')
      async function* broken() {
        yield Buffer.from('half')
        throw new Error('no more')
      }
      await assert.rejects(sandbox.files.write('whole.txt', broken()), /no more/)
      assert.equal(await contentOf(sandbox, 'whole.txt'), 'before')
      await sandbox.files.write('whole.txt', 'after')
      assert.equal(await contentOf(sandbox, 'whole.txt'), 'after')
    },
  },
  {
    name: 'a mode makes a file executable',
    async check(sandbox) {
      await sandbox.files.write('program', '#!/bin/sh\necho ran\n', { mode: 0o755 })
      assert.equal(await shell(sandbox, './program'), 'ran\n')
    },
  },
  {
    name: 'a file that is written again keeps its permission bits, unless a mode is given',
    async check(sandbox) {
      const modeOf = async () => ((await sandbox.files.stat('bits'))?.mode ?? 0).toString(8)
      for (const mode of ['755', '600', '640']) {
        await shell(sandbox, `: > bits; chmod ${mode} bits`)
        await sandbox.files.write('bits', 'again')
        assert.equal(await modeOf(), mode)
      }
      await sandbox.files.write('bits', 'with a mode', { mode: 0o700 })
      assert.equal(await modeOf(), '700')
    },
  },
  {
    name: 'names of every kind are written, listed, read and removed',
    async check(sandbox) {
      await sandbox.files.makeDirectory('odd')
      for (const name of oddNames) await sandbox.files.write(`odd/${name}`, name)
      const listed = await sandbox.files.list('odd')
      assert.deepEqual([...(listed?.keys() ?? [])].toSorted(), oddNames.toSorted())
      for (const name of oddNames) assert.equal(await contentOf(sandbox, `odd/${name}`), name)
      assert.equal(await shell(sandbox, 'cd odd; cat -- "$1"', oddNames[5] ?? ''), oddNames[5])
      for (const name of oddNames) await sandbox.files.remove(`odd/${name}`)
      assert.equal((await sandbox.files.list('odd'))?.size, 0)
      assert.equal(await sandbox.files.stat('injected'), undefined)
    },
  },
  {
    name: 'what is not there is undefined, and removing it is no fault',
    async check(sandbox) {
      assert.equal(await sandbox.files.read('missing'), undefined)
      assert.equal(await sandbox.files.stat('missing/below'), undefined)
      assert.equal(await sandbox.files.list('missing'), undefined)
      await sandbox.files.remove('missing')
    },
  },
  {
    name: 'an entry says what it is, and a link is not what it leads to',
    async check(sandbox) {
      await shell(
        sandbox,
        'mkdir kinds; cd kinds; printf 12345 > file; ln -s file link; mkfifo pipe; mkdir directory',
      )
      const kinds = await sandbox.files.list('kinds')
      assert.deepEqual(Object.fromEntries([...(kinds ?? [])].map(([name, { kind }]) => [name, kind])), {
        file: 'file',
        link: 'link',
        pipe: 'other',
        directory: 'directory',
      })
      assert.partialDeepStrictEqual(await sandbox.files.stat('kinds/file'), { kind: 'file', sizeBytes: 5 })
      assert.equal(await sandbox.files.read('kinds/pipe'), undefined)
    },
  },
  {
    name: 'an entry names its permissions, its date and the target of a link',
    async check(sandbox) {
      const target = ' odd\ntarget\n\u{1f600}\n'
      await shell(
        sandbox,
        'mkdir told; cd told; echo 1 > file; chmod 640 file; touch -d "2020-02-02 20:20:20 UTC" file; ln -s "$1" link',
        target,
      )
      const facts = { mode: 0o640, sizeBytes: 2, changedAtMs: Date.UTC(2020, 1, 2, 20, 20, 20) }
      assert.partialDeepStrictEqual(await sandbox.files.stat('told/file'), facts)
      assert.partialDeepStrictEqual((await sandbox.files.list('told'))?.get('file'), facts)
      assert.partialDeepStrictEqual(await sandbox.files.stat('told/link'), {
        kind: 'link',
        linkTarget: target,
      })
    },
  },
  {
    name: 'an entry has the owner that processes see',
    unless: ({ files }) => (files === 'directory' ? 'bubblewrap can show a different owner' : undefined),
    async check(sandbox) {
      const seen = await shell(sandbox, ': > owned; stat -c "%u %g" owned')
      const { uid, gid } = (await sandbox.files.stat('owned')) ?? {}
      assert.equal(seen, `${uid} ${gid}\n`)
    },
  },
  {
    name: 'a directory is removed with all that is in it, and a link without what it leads to',
    async check(sandbox) {
      await shell(sandbox, 'mkdir -p tree/a/b kept; touch tree/a/b/c kept/file; ln -s ../kept tree/link')
      await sandbox.files.remove('tree')
      assert.equal(await sandbox.files.stat('tree'), undefined)
      assert.partialDeepStrictEqual(await sandbox.files.stat('kept/file'), { kind: 'file' })
    },
  },
  {
    name: 'what lies outside of the directory is refused, where only that can be reached, also through a link',
    unless: ({ files }) => (files === 'whole' ? 'the whole file system can be reached' : undefined),
    async check(sandbox) {
      await shell(sandbox, 'ln -s /etc outside')
      for (const path of ['../outside', '/etc/passwd', '..', 'a\0b']) {
        await assert.rejects(sandbox.files.write(path, 'x'), { code: 'FILE_REFUSED' }, path)
        await assert.rejects(sandbox.files.read(path), { code: 'FILE_REFUSED' }, path)
      }
      await assert.rejects(sandbox.files.write('outside/fenced', 'x'), { code: 'FILE_REFUSED' })
      assert.equal(await sandbox.files.read('outside/passwd'), undefined)
    },
  },
  {
    name: 'a cancelled call is refused with the reason',
    async check(sandbox) {
      const reason = new Error('not wanted')
      const options = { signal: AbortSignal.abort(reason) }
      await assert.rejects(sandbox.files.write('cancelled', 'x', options), reason)
      await assert.rejects(sandbox.files.read('whole.txt', options), reason)
      assert.equal(await sandbox.files.stat('cancelled'), undefined)
    },
  },
]
