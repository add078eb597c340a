import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatOwner, thisOwner } from '@fenced/shared'
import { describe, expect, test } from 'vitest'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'
import {
  recordOf,
  removeLeftoverDirectories,
  removeLeftoverDirectory,
} from '../../src/work-directory/temporary-directories.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

const name = 'fenced-0123456789abcdef'

describe('a temporary directory', () => {
  test('has a record of its owner beside it, as long as it is there', async () => {
    const directory = new HostWorkDirectory()
    await directory.open()
    expect(readFileSync(recordOf(directory.path), 'utf8')).toBe(formatOwner(thisOwner()))
    await directory.close()
    expect(existsSync(recordOf(directory.path))).toBe(false)
  })

  test('of a process that was killed is removed by the next one that makes one', async () => {
    await using folder = await temporaryDirectory()
    const killed = host(folder.path, "setInterval(() => {}, 1000); console.log('ready')")
    await once(killed.stdout, 'data')
    expect(readdirSync(parentIn(folder.path))).toHaveLength(2)
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    const next = host(folder.path, 'await directory.close()')
    expect(await once(next, 'exit')).toEqual([0, null])
    expect(readdirSync(parentIn(folder.path))).toEqual([])
  })

  test.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'goes with a process that dies by %s, and the signal is what ends it',
    async (signal) => {
      await using folder = await temporaryDirectory()
      const child = host(folder.path, "setInterval(() => {}, 1000); console.log('ready')")
      await once(child.stdout, 'data')
      child.kill(signal)
      expect(await once(child, 'exit')).toEqual([null, signal])
      expect(readdirSync(parentIn(folder.path))).toEqual([])
    },
  )

  test.skipIf(process.platform === 'win32')(
    'stays while a handler of the host deals with the signal',
    async () => {
      await using folder = await temporaryDirectory()
      const handler = `
      const { existsSync } = await import('node:fs')
      process.on('SIGTERM', () => setTimeout(() => process.exit(existsSync(directory.path) ? 7 : 8), 100))
      setInterval(() => {}, 1000)
      console.log('ready')`
      const child = host(folder.path, handler)
      await once(child.stdout, 'data')
      child.kill('SIGTERM')
      expect(await once(child, 'exit')).toEqual([7, null])
      expect(readdirSync(parentIn(folder.path))).toEqual([])
    },
  )
})

describe('what is left', () => {
  test('goes with all that is in it, and so does a record without a directory', async () => {
    await using folder = await temporaryDirectory()
    make(folder.path, { owner: gone() })
    writeFileSync(join(folder.path, 'fenced-00000000000000ff.owner'), formatOwner(gone()))
    await removeLeftoverDirectories(folder.path)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test.each([
    ['a process that is there', formatOwner(thisOwner())],
    ['a process of another machine or process table', formatOwner({ ...gone(), realm: 'f'.repeat(32) })],
    ['nobody', ''],
    ['more than a record says', `${formatOwner(gone())}\n`],
  ])('a directory of %s stays', async (_, record) => {
    await using folder = await temporaryDirectory()
    make(folder.path, { record })
    await removeLeftoverDirectories(folder.path)
    expect(readdirSync(folder.path)).toHaveLength(2)
  })

  test('no other name is touched, and one without a record is not either', async () => {
    await using folder = await temporaryDirectory()
    for (const other of ['fenced-0123', 'other-0123456789abcdef', 'fenced-0123456789ABCDEF']) {
      make(folder.path, { name: other, owner: gone() })
    }
    mkdirSync(join(folder.path, name))
    await removeLeftoverDirectories(folder.path)
    await removeLeftoverDirectory(join(folder.path, 'fenced-0123'))
    expect(readdirSync(folder.path)).toHaveLength(7)
  })

  test.skipIf(process.platform === 'win32')(
    'no link is followed, whether it is directory or record',
    async () => {
      await using folder = await temporaryDirectory()
      await using outside = await temporaryDirectory()
      writeFileSync(join(outside.path, 'theirs'), formatOwner(gone()))
      symlinkSync(outside.path, join(folder.path, name))
      writeFileSync(join(folder.path, `${name}.owner`), formatOwner(gone()))
      const second = 'fenced-00000000000000ff'
      mkdirSync(join(folder.path, second))
      symlinkSync(join(outside.path, 'theirs'), join(folder.path, `${second}.owner`))
      await removeLeftoverDirectories(folder.path)
      expect(readdirSync(folder.path)).toHaveLength(4)
      expect(readdirSync(outside.path)).toEqual(['theirs'])
    },
  )

  test.skipIf(process.platform === 'win32')('a pipe with the name of a record holds nothing up', async () => {
    await using folder = await temporaryDirectory()
    mkdirSync(join(folder.path, name))
    execFileSync('mkfifo', [join(folder.path, `${name}.owner`)])
    await removeLeftoverDirectories(folder.path)
    expect(readdirSync(folder.path)).toHaveLength(2)
  })
})

function gone() {
  return { ...thisOwner(), processId: 2 ** 30 }
}

function make(
  folder: string,
  {
    name: own = name,
    owner = gone(),
    record = formatOwner(owner),
  }: { name?: string; owner?: ReturnType<typeof gone>; record?: string },
): void {
  mkdirSync(join(folder, own, 'inner'), { recursive: true })
  writeFileSync(join(folder, own, 'inner', 'file'), '')
  writeFileSync(join(folder, `${own}.owner`), record)
}

/** The directory with the temporary directories of this user in a folder. */
function parentIn(folder: string): string {
  return join(folder, `fenced-${process.getuid?.() ?? 'user'}`)
}

/** A process that has a temporary directory in a folder. */
function host(folder: string, then: string) {
  const module = JSON.stringify(join(import.meta.dirname, '../../src/work-directory/host-work-directory.ts'))
  const program = `
    const { HostWorkDirectory } = await import(${module})
    const directory = new HostWorkDirectory()
    await directory.open()
    ${then}`
  return spawn(process.execPath, ['--conditions=@fenced/source', '--input-type=module', '--eval', program], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
