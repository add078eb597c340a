// @module-tag all

import { readFileSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { type BlockResult, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { SmallDisk, smallDisk } from '@fenced/testing'
import { describe, expect, test } from 'vitest'
import { bubblewrap } from './requirements.ts'

/** Fills the disk, and says how it ended. */
const fill = `
try:
    with open("filler", "wb", buffering=0) as filler:
        while filler.write(bytes(65536)): pass
except OSError as error: print(error.strerror)`

/** A session on a disk of 8 MB. */
class DiskSession implements AsyncDisposable {
  readonly #disk = new SmallDisk('size=8m')
  readonly #executor: LocalCommandLineCodeExecutor

  constructor(isolation: 'none' | 'bubblewrap' = 'none') {
    this.#executor = new LocalCommandLineCodeExecutor({
      ...{ stateful: true, workDir: this.#disk.path, isolation },
    })
  }

  async cell(code: string): Promise<string> {
    const { blocks } = await this.#executor.execute([{ language: 'python', code }])
    const { stdout, stderr, notices } = blocks[0] as BlockResult
    expect(notices).toEqual([])
    return `${stdout}${stderr}`.trim()
  }

  /** What the undo says that it does not restore. */
  async undo(steps?: number): Promise<string | undefined> {
    const [notice] = (await this.#executor.session?.undo(steps))?.notices ?? []
    expect(notice?.code).toBe('state-restored')
    return notice?.data?.notUndone
  }

  sizeOf(file: string): number {
    return readFileSync(join(this.#disk.path, file)).length
  }

  get freeMegabytes(): number {
    const { bavail, bsize } = statfsSync(this.#disk.path)
    return Math.round((bavail * bsize) / 2 ** 20)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#executor.stop()
    this.#disk[Symbol.dispose]()
  }
}

const write = (name: string, megabytes: number, value: string) =>
  `with open("${name}", "wb") as file: file.write(b"${value}" * ${megabytes} * 2**20)`

async function restoresFiles(session: DiskSession): Promise<void> {
  await session.cell(`x = 1\n${write('data', 1, 'a')}`)
  expect(await session.cell(`x = 2\n${write('data', 1, 'b')}${fill}`)).toBe('No space left on device')
  // The block that follows has a checkpoint, too.
  await session.cell('x = 3')
  expect(await session.undo()).toBeUndefined()
  expect(await session.undo()).toBeUndefined()
  expect(await session.cell('print(x, set(open("data", "rb").read()), os.listdir())')).toContain('NameError')
  expect(await session.cell('import os; print(x, set(open("data", "rb").read()), os.listdir())')).toBe(
    "1 {97} ['data']",
  )
}

describe.skipIf(smallDisk.missing)('undo on a disk that becomes full', () => {
  test('restores files after a block that fills the disk', async () => {
    await using session = new DiskSession()
    await restoresFiles(session)
  })

  test.skipIf(bubblewrap.missing)('restores them in bubblewrap, too', async () => {
    await using session = new DiskSession('bubblewrap')
    await restoresFiles(session)
  })

  test('leaves half of the free room to the program, and names files that it could not keep', async () => {
    await using session = new DiskSession()
    await session.cell(write('large', 3, 'a'))
    expect(session.freeMegabytes).toBe(5)
    await session.cell(write('large', 4, 'b'))
    expect(await session.undo()).toBe('the files `large`, which were not kept or could not be written.')
    // It is as the undone block left it.
    expect(session.sizeOf('large')).toBe(4 * 2 ** 20)
    expect(await session.cell('print(set(open("large", "rb").read()))')).toBe('{98}')
  })

  test('restores a file for which there is no room beside its kept content', async () => {
    await using session = new DiskSession()
    await session.cell(`${write('large', 4, 'a')}\n${write('small', 1, 'b')}`)
    await session.cell('x = 1')
    // The checkpoint has kept the small one alone.
    expect(session.freeMegabytes).toBe(2)
    await session.cell(
      `open("small", "w").close()\nwith open("large", "ab") as file: file.write(b"c" * 3 * 2**20)`,
    )
    expect(session.freeMegabytes).toBe(0)
    expect(await session.undo()).toBe('the files `large`, which were not kept or could not be written.')
    expect(await session.cell('print(set(open("small", "rb").read()))')).toBe('{98}')
    expect(session.sizeOf('small')).toBe(2 ** 20)
  })

  test('restores a file that comes before the one that has filled the disk', async () => {
    await using session = new DiskSession()
    await session.cell(`${write('a', 1, 'a')}\n${write('b', 1, 'b')}`)
    expect(await session.cell(`open("a", "w").close()\n${write('b', 5, 'c')}`)).toBe('')
    expect(await session.undo()).toBeUndefined()
    expect([session.sizeOf('a'), session.sizeOf('b')]).toEqual([2 ** 20, 2 ** 20])
  })
})
