import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { longTests } from '@fenced/core/testing'
import { describe, expect, it } from 'vitest'
import { busybox, ProcessSandbox, type Tools } from './process-sandbox.ts'

/** A hang, not a speed. */
const timeout = 300_000

// A file of its own: what takes long in it does not make what is short in another run once more.
describe('with the tools of system', () => describeListing('system'))
describe.skipIf(busybox.missing)('with the tools of busybox', () => describeListing('busybox'))

function describeListing(tools: Tools): void {
  it('three thousand names are listed in one process that starts few', { timeout }, () =>
    expectListed(tools, 3_000),
  )

  it.skipIf(longTests.missing)(
    'a hundred thousand names are listed in one process that starts few',
    { timeout },
    () => expectListed(tools, 100_000),
  )
}

async function expectListed(tools: Tools, many: number): Promise<void> {
  await using sandbox = new ProcessSandbox({ tools })
  const path = join(sandbox.directory, 'many')
  mkdirSync(path)
  for (let index = 0; index < many; index++) writeFileSync(join(path, `${'n'.repeat(100)}-${index}`), '')
  await sandbox.start()
  const before = sandbox.started
  expect((await sandbox.files.list('many'))?.size).toBe(many)
  expect(sandbox.started - before).toBe(1)
}
