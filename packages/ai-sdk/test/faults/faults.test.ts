import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sandbox } from '@fenced/core/sandbox'
import { longTests, uniqueSeconds } from '@fenced/core/testing'
import { LocalSandbox } from '@fenced/sandbox-local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxSession, toSandboxSession } from '../../src/index.ts'
import { bubblewrap, docker, images, inContainer, isolated } from '../requirements.ts'
import { faults } from './faults.ts'

interface Place {
  readonly column: string
  readonly missing: boolean
  readonly create: () => Sandbox
}

const places: readonly Place[] = [
  { column: 'this machine', missing: false, create: () => new LocalSandbox() },
  { column: 'bubblewrap', missing: bubblewrap.missing, create: () => new LocalSandbox(isolated()) },
  { column: 'a container', missing: docker.missing, create: () => inContainer(images.python) },
]

const table = tableOf(readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8'))

describe.skipIf(longTests.missing)('the table of the README', () => {
  it('has every fault', () => {
    expect([...table.keys()]).toEqual(faults.map(({ what }) => what))
  })

  describe.each(places)('says what holds on $column', ({ column, missing, create }) => {
    const sandbox = create()
    let session: SandboxSession

    beforeAll(async () => {
      if (missing) return
      await sandbox.start()
      session = toSandboxSession(sandbox)
    })
    afterAll(() => sandbox.stop())

    it.skipIf(missing).each(faults)('$what', async ({ what, check }) => {
      const failure = await check(session, { seconds: uniqueSeconds() }).then(
        () => undefined,
        (error: unknown) => `${error}`,
      )
      expect(failure === undefined ? 'yes' : 'no', failure).toBe(table.get(what)?.get(column))
      expect((await session.run({ command: 'echo usable' })).stdout).toBe('usable\n')
    })
  })
})

/** The rows of the first table that begins with `a command that …`, by their first cell and the name of the column. */
function tableOf(markdown: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const lines = markdown.split('\n')
  const start = lines.findIndex((line) => line.startsWith('| a command that … |'))
  const cells = (line = '') =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  const [, ...columns] = cells(lines[start])
  const rows = lines.slice(start + 2)
  const end = rows.findIndex((line) => !line.startsWith('|'))
  return new Map(
    rows.slice(0, end).map((line) => {
      const [what = '', ...values] = cells(line)
      return [what, new Map(columns.map((column, index) => [column, values[index] ?? '']))]
    }),
  )
}
