// @module-tag all

import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { rowTags } from '@fenced/testing'
import { expect } from 'vitest'
import { bytesStream, describeContract } from './sandboxes.ts'

const oddNames = [
  'with space',
  `'single' "double" \`back\``,
  '-rf',
  '--',
  'é 日本 😀',
  '$HOME $(touch owned) ; # * ?[a]',
  'back\\slash\\n',
  '~',
  // The last one: a shell takes line ends at the end of an answer away.
  'new\nline\n',
]

// What the SDK says about the methods for files, sentence by sentence, in our words.
describeContract(rowTags({ nightly: ['bubblewrap', 'a container'] }), [
  [
    'readFile gives the bytes as a stream, and null for what is not there',
    async ({ session, name }) => {
      const bytes = randomBytes(300_000)
      await session.writeBinaryFile({ path: name, content: bytes })
      const stream = await session.readFile({ path: name })
      expect(stream).toBeInstanceOf(ReadableStream)
      expect((await buffer(stream ?? bytesStream())).equals(bytes)).toBe(true)
      expect(await session.readFile({ path: `${name}-missing` })).toBeNull()
      expect(await session.readFile({ path: `${name}/below/a/file` })).toBeNull()
    },
  ],
  [
    'readBinaryFile gives the bytes, and null for what is not there',
    async ({ session, name }) => {
      const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
      await session.writeBinaryFile({ path: name, content: bytes })
      expect(await session.readBinaryFile({ path: name })).toEqual(bytes)
      expect(await session.readBinaryFile({ path: `${name}-missing` })).toBeNull()
    },
  ],
  [
    'readTextFile decodes UTF-8, or the encoding that is asked for, and gives null for what is not there',
    async ({ session, name }) => {
      await session.writeTextFile({ path: name, content: '\uFEFFžluťoučký 😀\r\n' })
      expect(await session.readTextFile({ path: name })).toBe('\uFEFFžluťoučký 😀\r\n')
      await session.writeBinaryFile({ path: name, content: Uint8Array.of(0x82, 0xb1) })
      expect(await session.readTextFile({ path: name, encoding: 'shift_jis' })).toBe('こ')
      expect(await session.readTextFile({ path: `${name}-missing` })).toBeNull()
      await expect(session.readTextFile({ path: name, encoding: 'no-such' })).rejects.toMatchObject({
        code: 'SANDBOX_INVALID_ARGUMENT',
        data: { encoding: 'no-such' },
      })
    },
  ],
  [
    'lines are counted from 1, both ends belong to the range, and beyond the end there is no error',
    async ({ session, name: path }) => {
      await session.writeTextFile({ path, content: 'one\r\ntwo\nthree\n' })
      const lines = (startLine?: number, endLine?: number) =>
        session.readTextFile({
          path,
          ...(startLine === undefined ? {} : { startLine }),
          ...(endLine === undefined ? {} : { endLine }),
        })
      expect(await lines(2, 2)).toBe('two')
      expect(await lines(1, 2)).toBe('one\r\ntwo')
      expect(await lines(2)).toBe('two\nthree\n')
      expect(await lines(undefined, 1)).toBe('one')
      expect(await lines(3, 3)).toBe('three')
      expect(await lines(2, 99)).toBe('two\nthree\n')
      expect(await lines(99)).toBe('')
      expect(await lines(3, 2)).toBe('')
      await expect(lines(0)).rejects.toMatchObject({ code: 'SANDBOX_INVALID_ARGUMENT' })
    },
  ],
  [
    'writing makes the directories above and overwrites what is there, in all three flavours',
    async ({ session, name }) => {
      const path = `${name}/a/b/file`
      await session.writeTextFile({ path, content: 'a longer content' })
      expect(await session.readTextFile({ path })).toBe('a longer content')
      await session.writeBinaryFile({ path, content: Uint8Array.of(0, 255) })
      expect(await session.readBinaryFile({ path })).toEqual(Uint8Array.of(0, 255))
      await session.writeFile({ path, content: bytesStream(Buffer.from('in '), Buffer.from('parts')) })
      expect(await session.readTextFile({ path })).toBe('in parts')
      await session.writeFile({ path, content: bytesStream() })
      expect(await session.stat({ path })).toEqual({ type: 'file', size: 0 })
    },
  ],
  [
    'what is written is encoded as it is asked for',
    async ({ session, name: path }) => {
      const bytes = async (content: string, encoding: string) => {
        await session.writeTextFile({ path, content, encoding })
        return Buffer.from((await session.readBinaryFile({ path })) ?? []).toString('hex')
      }
      expect(await bytes('é€', 'windows-1252')).toBe('e980')
      expect(await bytes('é', 'utf-16le')).toBe('e900')
      expect(await bytes('é', 'utf-16be')).toBe('00e9')
      await expect(bytes('こ', 'latin1')).rejects.toMatchObject({
        code: 'SANDBOX_INVALID_ARGUMENT',
        data: { text: 'こ', encoding: 'windows-1252' },
      })
      await expect(bytes('こ', 'shift_jis')).rejects.toMatchObject({
        code: 'SANDBOX_INVALID_ARGUMENT',
        data: { encoding: 'shift_jis' },
      })
    },
  ],
  [
    'writing to a directory rejects, in all three flavours, and so does reading one',
    async ({ session, name: path }) => {
      await session.run({ command: `mkdir ${path}` })
      const refused = { code: 'SANDBOX_NOT_A_FILE' }
      await expect(session.writeFile({ path, content: bytesStream() })).rejects.toMatchObject(refused)
      await expect(session.writeBinaryFile({ path, content: new Uint8Array(1) })).rejects.toMatchObject(
        refused,
      )
      await expect(session.writeTextFile({ path, content: '' })).rejects.toMatchObject(refused)
      await expect(session.readFile({ path })).rejects.toMatchObject(refused)
    },
  ],
  [
    'a file keeps its mode when it is overwritten',
    async ({ session, name: path }) => {
      for (const mode of ['755', '600', '640']) {
        await session.run({ command: `echo 'echo old' > ${path}; chmod ${mode} ${path}` })
        await session.writeTextFile({ path, content: '#!/bin/sh\necho new\n' })
        const { stdout } = await session.run({ command: `stat -c %a ${path}; sh ./${path}` })
        expect(stdout).toBe(`${mode}\nnew\n`)
      }
    },
  ],
  [
    'stat tells file, directory and other, and follows links',
    async ({ session, name }) => {
      await session.run({
        command: `mkdir ${name}; cd ${name}; printf 12345 > file; mkfifo pipe; ln -s file link; ln -s . self; ln -s nowhere dangling`,
      })
      const stat = (path: string) => session.stat({ path: `${name}/${path}` })
      expect(await stat('file')).toEqual({ type: 'file', size: 5 })
      expect(await stat('link')).toEqual({ type: 'file', size: 5 })
      expect(await stat('self')).toEqual({ type: 'directory', size: expect.any(Number) })
      expect(await stat('pipe')).toEqual({ type: 'other', size: expect.any(Number) })
      expect(await session.stat({ path: '/dev/null' })).toEqual({ type: 'other', size: expect.any(Number) })
      const refused = { code: 'SANDBOX_NOT_A_FILE' }
      await expect(session.readFile({ path: '/dev/zero' })).rejects.toMatchObject(refused)
      expect(await stat('dangling')).toBeNull()
      expect(await stat('missing')).toBeNull()
      expect(await stat('file/below')).toBeNull()
    },
    'links',
  ],
  [
    'listDirectory names what is in one directory, links as links, and does not go down',
    async ({ session, name }) => {
      await session.run({
        command: `mkdir -p ${name}/sub/deeper; cd ${name}; touch file .hidden '*'; mkfifo pipe; ln -s nowhere dangling; ln -s sub link`,
      })
      const entries = await session.listDirectory({ path: name })
      expect(entries?.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
        { name: '*', type: 'file' },
        { name: '.hidden', type: 'file' },
        { name: 'dangling', type: 'symlink' },
        { name: 'file', type: 'file' },
        { name: 'link', type: 'symlink' },
        { name: 'pipe', type: 'other' },
        { name: 'sub', type: 'directory' },
      ])
      expect(await session.listDirectory({ path: `${name}/link` })).toEqual([
        { name: 'deeper', type: 'directory' },
      ])
      expect(await session.listDirectory({ path: `${name}/sub/deeper` })).toEqual([])
    },
    'links',
  ],
  [
    'listDirectory gives null for what is not there and rejects for what is no directory',
    async ({ session, name }) => {
      await session.writeTextFile({ path: `${name}/file`, content: '' })
      expect(await session.listDirectory({ path: `${name}/missing` })).toBeNull()
      await expect(session.listDirectory({ path: `${name}/file` })).rejects.toMatchObject({
        code: 'SANDBOX_NOT_A_DIRECTORY',
      })
    },
  ],
  [
    'deleteFile says whether there was a file, takes a link and not its target, and rejects for a directory',
    async ({ session, name }) => {
      await session.run({
        command: `mkdir -p ${name}/sub; cd ${name}; touch file; ln -s file link; ln -s sub way; ln -s no dangling`,
      })
      const remove = (path: string) => session.deleteFile({ path: `${name}/${path}` })
      expect(await remove('link')).toBe(true)
      expect(await remove('way')).toBe(true)
      expect(await remove('dangling')).toBe(true)
      expect(await remove('missing')).toBe(false)
      await expect(remove('sub')).rejects.toMatchObject({ code: 'SANDBOX_NOT_A_FILE' })
      expect((await session.run({ command: `ls -A ${name}` })).stdout).toBe('file\nsub\n')
      expect(await remove('file')).toBe(true)
      expect(await remove('file')).toBe(false)
    },
  ],
  [
    'any name is only a name',
    async ({ session, name: base }) => {
      const directory = [base, ...oddNames].join('/')
      const [name = ''] = oddNames.slice(-1)
      const path = `${directory}/${name}`
      await session.writeTextFile({ path, content: name })
      expect(await session.readTextFile({ path })).toBe(name)
      expect(await session.stat({ path })).toMatchObject({ type: 'file' })
      expect(await session.listDirectory({ path: directory })).toEqual([{ name, type: 'file' }])
      const { stdout } = await session.run({ command: 'cat ./*', workingDirectory: directory })
      expect(stdout).toBe(name)
      expect(await session.deleteFile({ path })).toBe(true)
      expect(await session.listDirectory({ path: directory })).toEqual([])
    },
  ],
  [
    'a stream that fails leaves the file as it was, and its error is the one that is told',
    async ({ session, name: path }) => {
      await session.writeTextFile({ path, content: 'whole' })
      const content = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(Buffer.from('part')),
        pull: (controller) => controller.error(new Error('the source broke')),
      })
      await expect(session.writeFile({ path, content })).rejects.toThrow('the source broke')
      expect(await session.readTextFile({ path })).toBe('whole')
    },
  ],
])
