// @module-tag nightly

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createJustBashSandbox } from '@ai-sdk/sandbox-just-bash'
import type { Sandbox } from '@fenced/core/sandbox'
import { LocalSandbox } from '@fenced/sandbox-local'
import { uniqueSeconds } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxSession, toSandboxSession } from '../../src/index.ts'
import { bubblewrap, docker, images, inContainer, isolated } from '../requirements.ts'
import { faults } from './faults.ts'

interface Column {
  readonly column: string
  readonly missing: boolean
  readonly isTheirs?: boolean
  readonly open: () => Promise<Opened>
}

interface Opened {
  readonly session: SandboxSession
  readonly stop: () => PromiseLike<void>
}

const columns: readonly Column[] = [
  { column: 'this machine', missing: false, open: () => opened(new LocalSandbox()) },
  { column: 'bubblewrap', missing: bubblewrap.missing, open: () => opened(new LocalSandbox(isolated())) },
  { column: 'a container', missing: docker.missing, open: () => opened(inContainer(images.python)) },
  { column: 'just-bash', missing: false, isTheirs: true, open: justBash },
]

async function opened(sandbox: Sandbox): Promise<Opened> {
  await sandbox.start()
  return { session: toSandboxSession(sandbox), stop: () => sandbox.stop() }
}

/** The AI SDK's own sandbox without a cloud: a shell and its commands, written in JavaScript. */
async function justBash(): Promise<Opened> {
  const session = await createJustBashSandbox().createSession()
  // It is made for another version of the types.
  return { session: session.restricted() as unknown as SandboxSession, stop: () => session.stop() }
}

/** How long a fault may go on, in milliseconds. One that goes on longer is not held. */
const patienceMs = { ours: 60_000, theirs: 5_000 }

const table = tableOf(readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8'))

describe('the table of the README', () => {
  it('has every fault', () => {
    expect([...table.keys()]).toEqual(faults.map(({ what }) => what))
  })

  describe.each(columns)('says what holds on $column', ({ column, missing, isTheirs, open }) => {
    let session: SandboxSession
    let stop: Opened['stop'] = async () => {}

    beforeAll(async () => {
      if (!missing) ({ session, stop } = await open())
    })
    afterAll(() => stop())

    it.skipIf(missing).each(faults)('$what', { timeout: 2 * patienceMs.ours }, async ({ what, check }) => {
      const checked = check(session, { seconds: uniqueSeconds() }).then(
        () => undefined,
        (error: unknown) => `${error}`,
      )
      const late = delay(isTheirs ? patienceMs.theirs : patienceMs.ours, 'it went on', { ref: false })
      const failure = await Promise.race([checked, late])
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
