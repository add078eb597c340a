import { existsSync, globSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { longTests } from '@fenced/core/testing'
import { describe, expect, it } from 'vitest'
import { python } from '../requirements.ts'
import { StartsCompared } from './compare-starts.ts'
import type { TestProgram } from './program.ts'
import { ends, endsOnce } from './programs/ends.ts'

describe.skipIf(python.missing)('the end of a warm block', () => {
  it('is that of a new interpreter, for programs that once lost data, crashed or showed the fork server', async () => {
    expect(await differences({}, endsOnce)).toEqual([])
  })

  describe.skipIf(longTests.missing)('with every Python of this machine', () => {
    it.each(pythons())(
      'is that of a new interpreter, wherever an object is kept: %s',
      { timeout: 900_000 },
      async (path) => {
        expect(await differences({ python: path }, [...endsOnce, ...ends])).toEqual([])
      },
    )
  })
})

/** Programs that a fork ends in another way, with what both did. */
async function differences(options: { python?: string }, programs: readonly TestProgram[]) {
  await using both = await StartsCompared.open(options)
  const found: object[] = []
  for (const program of programs) {
    const { cold, warm } = await both.run(program)
    if (JSON.stringify(warm) !== JSON.stringify(cold)) found.push({ program, cold, warm })
  }
  return found
}

/** Those that pyenv has installed. A fork server needs 3.8 or later. */
function pythons(): string[] {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions')
  const found = existsSync(versions) ? globSync('3.*/bin/python3', { cwd: versions }).sort() : []
  return found.map((path) => join(versions, path)).filter((path) => !/\/3\.[0-7]\./.test(path))
}
