import { existsSync, globSync } from 'node:fs'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LocalExecutor, type LocalExecutorOptions } from '../local-executor.ts'
import { bubblewrap, python } from '../requirements.ts'
import { StartsCompared } from './compare-starts.ts'
import type { TestProgram } from './program.ts'
import { ends, endsOnce } from './programs/ends.ts'

describe.skipIf(python.missing)('the end of a warm block', () => {
  it('is that of a new interpreter, for programs that once lost data, crashed or showed the resident Python', async () => {
    expect(await differences({}, endsOnce)).toEqual([])
  })

  it.skipIf(bubblewrap.missing)(
    'is that of a new interpreter in bubblewrap too',
    { tags: 'all' },
    async () => {
      expect(await differences({ isolation: 'bubblewrap', allowSharedWorkDir: true }, endsOnce)).toEqual([])
    },
  )

  it('writes what a file holds that `sitecustomize` has opened', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'fenced-ends-'))
    await writeFile(
      join(directory.path, 'sitecustomize.py'),
      `log = open(${JSON.stringify(join(directory.path, 'log'))}, 'a'); log.write('started;')\n`,
    )
    await using executor = new LocalExecutor({
      warm: {},
      env: { PYTHONPATH: directory.path },
    })
    for (const block of [1, 2]) {
      const code = `import sitecustomize; sitecustomize.log.write('block ${block};')`
      await executor.execute([{ language: 'python', code }])
    }
    expect(await readFile(join(directory.path, 'log'), 'utf8')).toBe('started;block 1;started;block 2;')
  })

  describe('with every Python of this machine', { tags: 'nightly' }, () => {
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
async function differences(options: LocalExecutorOptions, programs: readonly TestProgram[]) {
  await using both = await StartsCompared.open(options)
  const found: object[] = []
  for (const program of programs) {
    const { cold, warm } = await both.run(program)
    if (JSON.stringify(warm) !== JSON.stringify(cold)) found.push({ program, cold, warm })
  }
  return found
}

/** Those that pyenv has installed. A resident Python needs 3.8 or later. */
function pythons(): string[] {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions')
  const found = existsSync(versions) ? globSync('3.*/bin/python3', { cwd: versions }).sort() : []
  return found.map((path) => join(versions, path)).filter((path) => !/\/3\.[0-7]\./.test(path))
}
