import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { declareWritable, writableThrough } from '../../src/work-directory/writable-directories.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

/** A directory in which programs can write, and one beside it. */
async function directories() {
  const folder = await temporaryDirectory()
  const [open, closed] = ['open', 'closed'].map((name) => join(realpathSync.native(folder.path), name)) as [
    string,
    string,
  ]
  for (const path of [join(open, 'venv', 'bin'), closed]) mkdirSync(path, { recursive: true })
  return { open, closed, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

describe.skipIf(process.platform === 'win32')('a directory in which programs can write', () => {
  it('is found for what is in it, whether it exists or not, and not for what is beside it', async () => {
    await using places = await directories()
    const { open, closed } = places
    declareWritable(open)
    for (const name of ['venv', 'no/such/program']) expect(writableThrough(join(open, name))).toBe(open)
    for (const path of [open, `${open}-other/program`, join(closed, 'program')]) {
      expect(writableThrough(path)).toBe(undefined)
    }
  })

  it('is found through every link on the way, also where the target is elsewhere or does not exist', async () => {
    await using places = await directories()
    const { open, closed } = places
    declareWritable(open)
    symlinkSync('../open/missing', join(closed, 'into'))
    symlinkSync(closed, join(open, 'out'))
    symlinkSync(join(open, 'out'), join(closed, 'through'))
    symlinkSync('loop', join(closed, 'loop'))
    for (const path of [join(closed, 'into'), join(open, 'out', 'x'), join(closed, 'through', 'x')]) {
      expect(writableThrough(path)).toBe(open)
    }
    expect(writableThrough(join(closed, 'loop'))).toBe(undefined)
    // As the kernel reads it: the directory above the target of the link.
    expect(writableThrough(`${closed}/through/../open/x`)).toBe(open)
  })

  it('has paths that programs cannot change, as long as every declaration protects them', async () => {
    await using places = await directories()
    const { open } = places
    const venv = join(open, 'venv')
    declareWritable(open, [join(venv, 'bin')])
    expect(writableThrough(join(venv, 'bin', 'python'))).toBe(undefined)
    expect(writableThrough(venv)).toBe(undefined)
    expect(writableThrough(join(venv, 'lib'))).toBe(open)
    declareWritable(open, [])
    expect(writableThrough(join(venv, 'bin', 'python'))).toBe(open)
    declareWritable(open, [join(venv, 'bin')])
    expect(writableThrough(join(venv, 'bin', 'python'))).toBe(open)
  })
})
