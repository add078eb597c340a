import { lstat, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Client, isQuestion, isTurnEnd } from './client.ts'
import { python } from './requirements.ts'
import { program, serveTest, type TestServerOptions } from './served.ts'

/** A conversation whose first program has run, and a directory `theirs` that is not the conversation's. */
async function conversation(code: string, options: TestServerOptions = {}) {
  const server = await serveTest({ script: [program(code), 'Done.'], ...options })
  const client = await Client.of(server)
  const path = await client.start({ executor: 'local', model: 'scripted', text: 'Run it' })
  const id = path.split('/').at(-1) ?? ''
  const theirs = join(server.directory, 'theirs')
  await mkdir(join(theirs, id), { recursive: true })
  for (const directory of [theirs, join(theirs, id)])
    await writeFile(join(directory, 'a.txt'), 'years of work')
  await client.approve(path)
  const events = await client.until(path, isTurnEnd)
  return {
    ...{ server, client, path, id, theirs, last: events.at(-1)?.seq },
    async expectTheirsUntouched() {
      expect([(await readdir(theirs)).sort(), await readdir(join(theirs, id))]).toEqual([
        [id, 'a.txt'].sort(),
        ['a.txt'],
      ])
      expect(await readFile(join(theirs, 'a.txt'), 'utf8')).toBe('years of work')
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const replaceByLink = `
import os
directory = os.getcwd()
os.rename(directory, directory + "-before")
os.symlink("../theirs", directory)
`

describe.skipIf(python.missing || process.platform === 'win32')('a link to other files', () => {
  it('that a program put in the place of its directory is not listed, read, written to or removed', async () => {
    await using place = await conversation(replaceByLink)
    const { client, path } = place
    const refused = { status: 409, body: { code: 'WORK_DIR_UNUSABLE' } }
    for (const [name, init] of [
      ['', {}],
      ['/a.txt', {}],
      ['/b.txt', { method: 'PUT', body: 'new' }],
    ] as const) {
      const response = await client.fetch(`${path}/files${name}`, init)
      expect({ status: response.status, body: await response.json() }).toMatchObject(refused)
    }
    expect((await client.fetch(path, { method: 'DELETE' })).status).toBe(204)
    expect((await client.fetch(path)).status).toBe(404)
    const link = join(place.server.directory, 'files', place.id)
    await expect(lstat(link)).rejects.toMatchObject({ code: 'ENOENT' })
    await place.expectTheirsUntouched()
  })

  it('in the place of a directory takes no program of a later server', async () => {
    await using place = await conversation('open("b.txt", "w")')
    const { directory } = place.server
    await place.server.close()
    const files = join(directory, 'files', place.id)
    await rename(files, `${files}-before`)
    await symlink(place.theirs, files)
    await using server = await serveTest({ directory, script: [program('open("c.txt", "w")'), 'Done.'] })
    const client = await Client.of(server)
    await client.post(`${place.path}/messages`, { text: 'Again' })
    const events = await client.until(place.path, isTurnEnd, place.last)
    expect(events.some(({ event }) => isQuestion(event))).toBe(false)
    expect(events.at(-1)?.event).toMatchObject({
      status: 'failed',
      code: 'WORK_DIR_UNUSABLE',
      data: { path: files },
    })
    await place.expectTheirsUntouched()
  })

  it('in the place of the directory of all conversations keeps what is behind it', async () => {
    await using place = await conversation('open("b.txt", "w")')
    const files = join(place.server.directory, 'files')
    await rename(files, `${files}-before`)
    await symlink(place.theirs, files)
    expect((await place.client.fetch(`${place.path}/files`)).status).toBe(409)
    expect((await place.client.fetch(place.path, { method: 'DELETE' })).status).toBe(409)
    await place.expectTheirsUntouched()
  })
})
