import { symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { HostWorkDirectory } from '@fenced/core/driver'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { DirectoryCopy } from '../../src/copy/directory-copy.ts'
import { getArchive } from '../../src/copy/get-archive.ts'
import { archiveOf, backendWith, ownEntry } from '../../src/copy/handmade-archive.fixture.ts'

/** A directory that is copied to nowhere; what is sent is kept. */
async function copiedToNowhere() {
  const host = new HostWorkDirectory()
  await host.open()
  onTestFinished(() => host.close())
  const sent: Record<string, string>[] = []
  const backend: SandboxBackend = {
    ...backendWith(await archiveOf([ownEntry])),
    put: async (_directory, archive) => {
      sent.push(await contents(await buffer(archive)))
    },
  }
  const copy = new DirectoryCopy({
    hostDirectory: host,
    backend,
    path: '/workspace',
    owner: { uid: 1000, gid: 1000 },
  })
  const signal = new AbortController().signal
  return { host, sent, copyIn: () => copy.copyIn({ signal }) }
}

async function contents(archive: Buffer): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const signal = new AbortController().signal
  for await (const entry of getArchive({ backend: backendWith(archive), signal }, '')) {
    found[entry.header.name] = await text(entry)
  }
  return found
}

test('nothing is sent when nothing has changed', async () => {
  const { host, sent, copyIn } = await copiedToNowhere()
  await copyIn()
  await host.write('a', 'one')
  for (let round = 0; round < 3; round++) expect((await copyIn()).removed).toEqual([])
  expect(sent).toEqual([{ a: 'one' }])
})

test('a file that changes while it is sent is sent as large as it was, and again', async () => {
  const { host, sent, copyIn } = await copiedToNowhere()
  for (const name of ['grows', 'shrinks']) await host.write(name, 'before')
  const { openFile } = host
  host.openFile = async (name) => {
    if (name === 'grows') writeFileSync(join(host.hostPath, name), ' and after', { flag: 'a' })
    if (name === 'shrinks') truncateSync(join(host.hostPath, name), 3)
    return openFile.call(host, name)
  }
  await copyIn()
  host.openFile = openFile
  await copyIn()
  expect(sent).toEqual([
    { grows: 'before', shrinks: 'bef\0\0\0' },
    { grows: 'before and after', shrinks: 'bef' },
  ])
})

test('a file that goes while it is sent is not there', async () => {
  const { host, sent, copyIn } = await copiedToNowhere()
  for (const name of ['goes', 'stays']) await host.write(name, name)
  const { openFile } = host
  host.openFile = async (name) => {
    if (name === 'goes') await host.remove(name)
    return openFile.call(host, name)
  }
  await copyIn()
  expect((await copyIn()).removed).toEqual([])
  expect(sent).toEqual([{ stays: 'stays' }])
})

test.skipIf(process.platform !== 'linux')('what stays on this machine is reported', async () => {
  const { host, sent, copyIn } = await copiedToNowhere()
  const bad = Buffer.concat([Buffer.from(`${host.hostPath}/bad`), Buffer.from([0xff])])
  writeFileSync(bad, 'one')
  symlinkSync('nowhere', join(host.hostPath, 'link'))
  for (const name of ['locked', 'open']) await host.write(name, name)
  const { openFile } = host
  host.openFile = async (name) => (name === 'locked' ? undefined : openFile.call(host, name))
  const skipped = async () => (await copyIn()).report.skipped.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  expect(await skipped()).toEqual([
    { name: 'bad\uFFFD', why: expect.stringContaining('not UTF-8') },
    { name: 'link', why: 'is a symbolic link' },
    { name: 'locked', why: 'cannot be read' },
  ])
  expect(await skipped()).toEqual([])
  writeFileSync(bad, 'other')
  expect((await skipped()).map(({ name }) => name)).toEqual(['bad\uFFFD'])
  expect(sent[0]).toEqual({ open: 'open' })
})
