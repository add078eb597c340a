import { rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { extract } from 'tar-stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../engine/temporary-folder.fixture.ts'
import { packBuildContext, readBuildContext } from './build-context.ts'

const build = { dockerfile: 'Dockerfile', buildArgs: {} }

/** Names and contents of what a build gets. */
async function packed(context: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const reader = packBuildContext(await readBuildContext({ ...build, context })).pipe(extract())
  for await (const entry of reader) {
    const chunks: Uint8Array[] = []
    for await (const chunk of entry) chunks.push(chunk as Uint8Array)
    const { name, type, linkname } = entry.header
    found[name] = type === 'file' ? Buffer.concat(chunks).toString() : `${type} ${linkname ?? ''}`.trim()
  }
  return found
}

describe('packBuildContext', () => {
  it('packs files, directories and links as they are, and nothing else', async () => {
    const context = temporaryFolder({ Dockerfile: 'FROM scratch', empty: '', 'a/b/c.txt': 'c' })
    symlinkSync('nowhere', join(context, 'link'))
    const server = createServer().listen(join(context, 'socket'))
    onTestFinished(() => void server.close())
    expect(await packed(context)).toEqual({
      Dockerfile: 'FROM scratch',
      a: 'directory',
      'a/b': 'directory',
      'a/b/c.txt': 'c',
      empty: '',
      link: 'symlink nowhere',
    })
  })

  it('looks into a directory that is left out for what is not', async () => {
    const context = temporaryFolder({
      Dockerfile: '',
      '.dockerignore': 'a\n!a/b/wanted.txt\n',
      'a/b/wanted.txt': 'w',
      'a/b/other.txt': 'o',
      'a/other.txt': 'o',
    })
    expect(Object.keys(await packed(context))).toEqual(['.dockerignore', 'Dockerfile', 'a/b/wanted.txt'])
  })

  it('says which file cannot be read', async () => {
    const context = temporaryFolder({ Dockerfile: '', a: 'x'.repeat(1e6), b: '' })
    const pack = packBuildContext(await readBuildContext({ ...build, context }))
    // It waits for its reader within the first large file.
    await delay(50)
    rmSync(join(context, 'b'))
    const failed = new Promise((_, reject) => pack.on('error', reject))
    pack.resume()
    await expect(failed).rejects.toMatchObject({
      code: 'BUILD_FAILED',
      message: expect.stringContaining(join(context, 'b')),
    })
  })

  it('is ended at any moment, also with its files, without an error that nobody takes', async () => {
    for (let turns = 0; turns < 30; turns++) {
      const context = temporaryFolder({ Dockerfile: 'FROM scratch', a: 'a', b: 'b' })
      const pack = packBuildContext(await readBuildContext({ ...build, context }))
      pack.on('error', () => {}).resume()
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
      rmSync(context, { recursive: true })
      if (turns % 2 === 0) pack.destroy()
    }
    await delay(100)
  })
})
