// @module-tag all

import { requirement } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { python, pythonPath } from './requirements.ts'
import { ChangedPython } from './session-repairs/changed-session.ts'
import { descriptors } from './session-repairs/descriptors.ts'
import { installed } from './session-repairs/libraries.ts'
import { processState } from './session-repairs/process-state.ts'
import { reload } from './session-repairs/reload.ts'
import type { Repair } from './session-repairs/repair.ts'
import { RepairedSession } from './session-repairs/repaired-session.ts'
import { threads } from './session-repairs/threads.ts'

const withLibraries = process.env.FENCED_TEST_LIBRARIES
const libraries = requirement(
  'session-libraries',
  withLibraries === undefined ? 'FENCED_TEST_LIBRARIES names no Python with libraries' : undefined,
)

const ofPython = [...descriptors, ...processState, ...threads, ...reload]

const expected = (shown: string | RegExp) =>
  typeof shown === 'string' ? shown : expect.stringMatching(shown)

/** Runs each program with its repair, and without it: then, another result shows that the program needs the repair. */
function describeRepairs(python: string, repairs: readonly Repair[]): void {
  let changed: ChangedPython
  let session: RepairedSession

  beforeAll(async () => {
    changed = new ChangedPython(python)
    session = await RepairedSession.start(python)
  })
  afterAll(async () => {
    await session[Symbol.asyncDispose]()
    changed[Symbol.dispose]()
  })

  test.each(repairs)('$name', async (repair) => {
    expect(await session.show(repair)).toEqual(expected(repair.shown))
  })

  test.each(repairs)('without the repair: $name', { tags: ['nightly'] }, async (repair) => {
    changed.change(repair.off)
    await using session = await RepairedSession.start(changed.path)
    const { wrong } = repair
    const shown = await session.show(repair, `${wrong}`.includes('timeout'))
    expect(shown).toEqual(expected(wrong))
  })
}

describe.skipIf(process.platform !== 'linux' || python.missing)('a copy of a session', () => {
  describeRepairs(pythonPath, ofPython)
})

// As with the C library musl.
describe.skipIf(process.platform !== 'linux' || python.missing)(
  'a copy that continues itself',
  {
    tags: ['nightly'],
  },
  () => {
    test('has the same repairs', async () => {
      using changed = new ChangedPython(pythonPath)
      changed.change(['    if calls is None or prctl(', '    if True or prctl('])
      await using session = await RepairedSession.start(changed.path)
      for (const repair of ofPython)
        expect(await session.show(repair), repair.name).toEqual(expected(repair.shown))
    })
  },
)

describe.skipIf(libraries.missing)('a copy of a session with libraries', { tags: ['nightly'] }, () => {
  describeRepairs(withLibraries ?? '', installed)
})
