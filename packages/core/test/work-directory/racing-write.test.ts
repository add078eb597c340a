import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  listConfined,
  openConfined,
  removeConfined,
  statConfined,
} from '../../src/work-directory/confined-files.ts'
import { copyConfined, moveConfined } from '../../src/work-directory/confined-move.ts'
import { writeConfined } from '../../src/work-directory/confined-writes.ts'
import { FileRefusedError } from '../../src/work-directory/work-directory.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

/** Makes `sub` a directory and a link to the outside by turns, as fast as it can, until it is killed. */
const swapping = `
  const fs = require('node:fs')
  const [inside, outside] = process.argv.slice(1)
  const sub = inside + '/sub'
  process.stdout.write('ready')
  for (;;) {
    try { fs.rmSync(sub, { recursive: true, force: true }) } catch {}
    try { fs.symlinkSync(outside, sub) } catch {}
    try { fs.unlinkSync(sub) } catch {}
    try { fs.mkdirSync(sub) } catch {}
    // Both at once: what was checked a moment ago is another thing now.
    try { fs.renameSync(sub, inside + '/aside'); fs.symlinkSync(outside, sub) } catch {}
    try { fs.rmSync(inside + '/aside', { recursive: true, force: true }) } catch {}
  }
`

/**
 * Does something over and over below `sub` while that is swapped, until it has both been done and been refused.
 * @returns what is in the directory outside then.
 */
async function raced(
  attempt: (inside: string, count: number) => Promise<unknown>,
  rounds = 3_000,
): Promise<string[]> {
  await using directory = await temporaryDirectory()
  const [inside, outside] = [join(directory.path, 'inside'), join(directory.path, 'outside')]
  mkdirSync(inside)
  mkdirSync(outside)
  writeFileSync(join(outside, 'theirs'), 'theirs')
  const racer = spawn(process.execPath, ['-e', swapping, inside, outside])
  const ends = new Set<string>()
  try {
    await once(racer.stdout, 'data')
    for (let count = 0; count < rounds || (ends.size < 2 && count < 1_000_000); count++) {
      ends.add(await attempt(inside, count).then(() => 'done', endOf))
    }
  } finally {
    racer.kill('SIGKILL')
    await once(racer, 'exit')
  }
  expect([...ends].sort()).toEqual(['done', 'refused'])
  return readdirSync(outside)
}

function endOf(error: unknown): string {
  return error instanceof FileRefusedError ? 'refused' : String(error)
}

describe('a program that swaps a directory for a link', () => {
  test('while we write gets nothing out', async () => {
    const outside = await raced((inside, count) =>
      writeConfined(inside, ['sub', `evil-${count % 10}`], { content: 'evil' }),
    )
    expect(outside).toEqual(['theirs'])
  })

  test('while we read and remove gets nothing in, and loses us nothing', async () => {
    const outside = await raced(async (inside, count) => {
      const file = await openConfined(inside, ['sub', 'theirs'])
      await file?.close()
      removeConfined(inside, ['sub', 'theirs'])
      if (file !== undefined) throw new Error('It was opened.')
      // What tells that there was a race.
      await writeConfined(inside, ['sub', `evil-${count % 10}`], { content: 'evil' })
    })
    expect(outside).toEqual(['theirs'])
  })

  test.each([
    ['move', moveConfined],
    ['copy', copyConfined],
  ])('while we %s gets nothing out and nothing in', async (_, transfer) => {
    const outside = await raced(async (inside, count) => {
      const overwrite = true
      const mine = `mine-${count}`
      writeFileSync(join(inside, mine), 'mine')
      // What tells that there was a race: both into the directory and out of it.
      const ends = await Promise.allSettled([
        transfer(inside, { from: ['sub', 'theirs'], to: ['stolen'], overwrite }),
        transfer(inside, { from: [mine], to: ['sub', 'evil'], overwrite }),
      ])
      rmSync(join(inside, mine), { force: true })
      if (existsSync(join(inside, 'stolen'))) throw new Error('It was taken.')
      for (const end of ends)
        if (end.status === 'rejected' && endOf(end.reason) !== 'refused') throw end.reason
      if (ends[1].status === 'rejected') throw ends[1].reason
    }, 300)
    expect(outside).toEqual(['theirs'])
  })

  test('while we copy a directory shows nothing of outside', { tags: 'all' }, async () => {
    const outside = await raced(async (inside) => {
      rmSync(join(inside, 'copy'), { recursive: true, force: true })
      await copyConfined(inside, { from: ['sub'], to: ['copy'], overwrite: true })
      const { entries = new Map() } = { entries: await listConfined(inside, ['copy']) }
      if (entries.has('theirs')) throw new Error('It was copied.')
      // A link is copied as a link.
      if (entries.size === 0 && statConfined(inside, ['copy'])?.kind === 'link') throw refusedLink
    })
    expect(outside).toEqual(['theirs'])
  })
})

const refusedLink = new FileRefusedError('It was a link at that time.')
