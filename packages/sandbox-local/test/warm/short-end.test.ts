import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { numberOfCases, requirement } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { EndedRunner, type EndedRunnerOptions, wholeEnds } from './ended-runner.ts'
import type { TestProgram } from './program.ts'
import { endChecks } from './programs/end-checks.ts'
import { endsOfObjects, unseenEnds, unseenEndsOfLibraries } from './programs/unseen-ends.ts'
import { everyProgram } from './sample.ts'

/** Pythons whose programs can end short: 3.10 or later, in which `site` registers no exit function. */
const pythons = ['python3', '/usr/bin/python3', ...(process.env.FENCED_TEST_PYTHONS ?? '').split(':')]
  .map((path) => ({ path, minor: minorOf(path) }))
  .filter(({ minor }) => minor >= 10)
const first = pythons[0] ?? { path: '', minor: 0 }
const python = requirement(
  'python',
  first.path === ''
    ? 'no Python here can end short: 3.10 or later, without exit functions of `site`'
    : undefined,
)
const libraries = {
  python: join(process.env.FENCED_TEST_JUPYTER ?? '', 'bin/python'),
  preload: ['numpy', 'pandas', 'matplotlib.pyplot'],
}
const jupyter = requirement(
  'jupyter',
  minorOf(libraries.python) < 10 ? 'FENCED_TEST_JUPYTER names no environment that can end short' : undefined,
)

/** The number of a 3.x; 0 where programs cannot end short. */
function minorOf(path: string): number {
  const code = 'import atexit, sys; print(0 if atexit._ncallbacks() else sys.version_info[1])'
  return path === '' ? 0 : Number(`${spawnSync(path, ['-c', code]).stdout ?? 0}`)
}

describe.skipIf(python.missing)('the short end', { timeout: 900_000 }, () => {
  it('is that of programs that models write', async () => {
    for (const { path } of everyProgram.missing ? [first] : pythons)
      await expectShort({ python: path }, unseenEnds)
  })

  it.skipIf(jupyter.missing)('is that of programs with NumPy, pandas and Matplotlib', async () => {
    await expectShort(libraries, unseenEndsOfLibraries)
  })

  const checks = endChecks.filter(
    ({ since = 0, before = 99 }) => since <= first.minor && first.minor < before,
  )
  it.each(checks)(
    'needs each of its checks: $check',
    { tags: 'nightly' },
    async ({ replacement, program }) => {
      const code = program.join('\n')
      await using intact = await EndedRunner.start({ python: first.path })
      const plain = await intact.runPlain(code)
      expect((await intact.run(code)).seen).toEqual(plain)
      await using broken = await EndedRunner.start({ python: first.path, replacements: [replacement] })
      expect((await broken.run(code)).seen).not.toEqual(plain)
    },
  )

  it.each(everyProgram.missing ? [first] : pythons)(
    'does what the whole end and a new interpreter do, wherever an object is kept: $path',
    async ({ path }) => {
      // A program that has removed them and leaves in the middle of its file gives us no moment before the end.
      const differs = (name: string) => /in no exit functions, and an exit$/.test(name)
      await expectSame({ python: path }, endsOfObjects, differs)
    },
  )

  it.skipIf(jupyter.missing)('does so with the libraries', { tags: 'nightly' }, async () => {
    // Caches of preloaded modules keep some objects.
    const programs = endsOfObjects.filter((_, index) => index % 5 === 0)
    await expectSame(libraries, programs, () => true)
  })
})

async function expectShort(options: EndedRunnerOptions, programs: readonly TestProgram[]): Promise<void> {
  await using runner = await EndedRunner.start(options)
  for (const { name, code } of programs) {
    const { seen, end } = await runner.run(code)
    expect({ name, end }).toEqual({ name, end: 'short' })
    expect(seen, name).toEqual(await runner.runPlain(code))
  }
}

/** Of so many programs one is run. */
const step = numberOfCases({ usual: 401, nightly: 9 })

/** Compares both ends, and both with a new interpreter, except for programs whose whole end is known to differ from that. */
async function expectSame(
  options: EndedRunnerOptions,
  programs: readonly TestProgram[],
  differs: (name: string) => boolean,
): Promise<void> {
  await using short = await EndedRunner.start(options)
  await using whole = await EndedRunner.start({ ...options, replacements: [wholeEnds] })
  let count = 0
  const different: object[] = []
  for (const { name, code } of programs.filter((_, index) => index % step === 0)) {
    const plain = await short.runPlain(code)
    const { seen, end } = await short.run(code)
    const other = (await whole.run(code)).seen
    if (end === 'short') count++
    const isSame = isDeepStrictEqual(seen, plain) || (end !== 'short' && differs(name))
    if (!isSame || !isDeepStrictEqual(seen, other)) different.push({ name, end, seen, whole: other, plain })
  }
  expect(different).toEqual([])
  expect(count).toBeGreaterThan(0)
}
