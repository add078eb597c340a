import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HostWorkDirectory } from '../../src/driver.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

const contents = { text: 'new', bytes: Buffer.from('new'), stream: () => Readable.from([Buffer.from('new')]) }
const bits = fc.integer({ min: 0, max: 0o777 })

test.skipIf(process.platform === 'win32')(
  'a file that is written again keeps its permission bits, unless others are given',
  async () => {
    await using temporary = await temporaryDirectory()
    const directory = new HostWorkDirectory({ path: temporary.path })
    await directory.open()
    const path = join(directory.hostPath, 'a')
    const kind = fc.constantFrom(...(['text', 'bytes', 'stream'] as const))
    const given = fc.option(bits, { nil: undefined })
    await fc.assert(
      fc.asyncProperty(bits, given, kind, async (before, mode, how) => {
        await directory.remove('a')
        writeFileSync(path, 'old')
        chmodSync(path, before)
        const content = contents[how]
        await directory.write('a', typeof content === 'function' ? content() : content, { mode })
        const expected = mode === undefined ? before : mode & ~process.umask()
        expect((statSync(path).mode & 0o7777).toString(8)).toBe(expected.toString(8))
      }),
      { numRuns: 50 },
    )
  },
)
