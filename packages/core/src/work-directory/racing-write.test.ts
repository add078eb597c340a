import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeConfined } from './confined-write.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'
import { FileRefusedError } from './work-directory.ts'

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

test('a program that swaps a directory for a link while we write gets nothing out', async () => {
  await using directory = await temporaryDirectory()
  const [inside, outside] = [join(directory.path, 'inside'), join(directory.path, 'outside')]
  mkdirSync(inside)
  mkdirSync(outside)
  const racer = spawn(process.execPath, ['-e', swapping, inside, outside])
  const counts = { written: 0, refused: 0, other: new Map<string, number>() }
  try {
    await once(racer.stdout, 'data')
    for (let count = 0; count < 3_000; count++) {
      try {
        await writeConfined(inside, ['sub', `evil-${count % 10}`], 'evil')
        counts.written++
      } catch (error) {
        if (error instanceof FileRefusedError) counts.refused++
        else counts.other.set(String(error), (counts.other.get(String(error)) ?? 0) + 1)
      }
    }
  } finally {
    racer.kill('SIGKILL')
    await once(racer, 'exit')
  }
  expect(readdirSync(outside)).toEqual([])
  // Both were met, or there was no race.
  expect(counts.written).toBeGreaterThan(0)
  expect(counts.refused).toBeGreaterThan(0)
  expect([...counts.other.keys()]).toEqual([])
})
