import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { copyConfined, moveConfined } from '../../src/work-directory/confined-move.ts'
import { FileRefusedError } from '../../src/work-directory/work-directory.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

const overwrite = true

describe.skipIf(process.platform !== 'linux')('a move', () => {
  test.skipIf(!existsSync('/dev/shm'))(
    'between file systems copies the entry and then removes it',
    async () => {
      await using directory = await temporaryDirectory()
      mkdirSync(join(directory.path, 'tree'))
      writeFileSync(join(directory.path, 'tree', 'file'), 'content')
      const name = `fenced-test-${randomUUID()}`
      try {
        const from = [...directory.path.slice(1).split('/'), 'tree']
        await moveConfined('/', { from, to: ['dev', 'shm', name], overwrite })
        expect(readFileSync(`/dev/shm/${name}/file`, 'utf8')).toBe('content')
        expect(readdirSync(directory.path)).toEqual([])
      } finally {
        rmSync(`/dev/shm/${name}`, { recursive: true, force: true })
      }
    },
  )
})

describe.skipIf(process.platform !== 'linux')('a copy of a directory', () => {
  test.each([
    ['a pipe', 'mkfifo tree/in/pipe'],
    ['a name that is not UTF-8', 'touch "tree/in/$(printf \'\\377\')"'],
    ['directories without end', `mkdir -p tree/in/${'d/'.repeat(120)}`],
  ])('with %s is refused, and leaves nothing', async (_, script) => {
    await using directory = await temporaryDirectory()
    execFileSync('/bin/sh', ['-c', `mkdir -p tree/in; echo 1 > tree/in/a; ${script}`], {
      cwd: directory.path,
    })
    const copied = copyConfined(directory.path, { from: ['tree'], to: ['copy'], overwrite })
    await expect(copied).rejects.toThrow(FileRefusedError)
    expect(readdirSync(directory.path)).toEqual(['tree'])
  })

  test('keeps the permissions, also of directories that their owner may not change, but no set-user-ID', async () => {
    await using directory = await temporaryDirectory()
    const script = 'mkdir -p a/b; echo 1 > a/b/c; chmod 4711 a/b/c; chmod 511 a/b'
    execFileSync('/bin/sh', ['-c', script], { cwd: directory.path })
    await copyConfined(directory.path, { from: ['a'], to: ['copy'], overwrite })
    const modeOf = (name: string) => (statSync(join(directory.path, name)).mode & 0o7777).toString(8)
    expect([modeOf('copy/b'), modeOf('copy/b/c')]).toEqual(['511', '711'])
  })

  test('that is cancelled leaves nothing', async () => {
    await using directory = await temporaryDirectory()
    mkdirSync(join(directory.path, 'tree'))
    for (let count = 0; count < 100; count++) writeFileSync(join(directory.path, 'tree', `${count}`), '')
    const controller = new AbortController()
    const transfer = { from: ['tree'], to: ['copy'], overwrite, signal: controller.signal }
    const copied = copyConfined(directory.path, transfer)
    setImmediate(() => controller.abort(new Error('not wanted')))
    await expect(copied).rejects.toThrow('not wanted')
    expect(readdirSync(directory.path)).toEqual(['tree'])
  })
})
