// @module-tag nightly

import { globSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'

/** Pythons that pyenv has installed, from the oldest that a resident Python knows. */
const pythons = globSync(join(homedir(), '.pyenv/versions/3.{8,9,1?}.*/bin/python'))

const cells = [
  'import asyncio, inspect, subprocess\nx = {"a": [1, 2]}',
  'x',
  'await asyncio.sleep(0, "slept")',
  'def f(n):\n    return 1 / n',
  'f(0)',
  'print(inspect.getsource(f))',
  'from IPython.display import HTML\nHTML("<b>")',
  '!echo said',
  'import sys; sys.exit(3)',
  'x["a"]',
]

describe.skipIf(process.platform !== 'linux')('a session', () => {
  it.for(pythons.filter((path) => !path.includes('/3.8.')))('runs cells with %s', async (python) => {
    await using executor = new LocalCommandLineCodeExecutor({ python, stateful: true })
    const seen: unknown[] = []
    for (const code of cells) {
      const { blocks } = await executor.execute([{ language: 'python', code }])
      const [block] = blocks
      const values = block?.results.map(({ data }) => data['text/html'] ?? data['text/plain'])
      seen.push([block?.exitCode, block?.stdout, values, block?.error?.name, block?.error?.traceback.length])
    }
    expect(seen).toEqual([
      [0, '', [], undefined, undefined],
      [0, '', ["{'a': [1, 2]}"], undefined, undefined],
      [0, '', ["'slept'"], undefined, undefined],
      [0, '', [], undefined, undefined],
      [1, '', [], 'ZeroDivisionError', 2],
      [0, 'def f(n):\n    return 1 / n\n\n', [], undefined, undefined],
      [0, '', ['<b>'], undefined, undefined],
      [0, 'said\n', [], undefined, undefined],
      [3, '', [], undefined, undefined],
      [0, '', ['[1, 2]'], undefined, undefined],
    ])
  })

  it.for(pythons.filter((path) => path.includes('/3.8.')))('is refused with %s', async (python) => {
    await using executor = new LocalCommandLineCodeExecutor({ python, stateful: true })
    await expect(executor.execute([{ language: 'python', code: '1' }])).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      data: { option: 'stateful', reason: expect.stringContaining('it is Python 3.8') },
    })
  })
})
