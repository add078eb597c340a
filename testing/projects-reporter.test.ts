// @module-tag all

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('a run ends with the files, the tests that ran, and the seconds of each project', () => {
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
  const config = join(import.meta.dirname, 'fixture/projects.config.ts')
  const { FENCED_REQUIRE: _, ...env } = process.env
  const { stdout, status } = spawnSync(process.execPath, [vitest, 'run', '--config', config], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
    env,
  })
  const lines = stdout
    .trim()
    .replaceAll(/\s+\d+\.\d s$/gm, '  0.0 s')
    .split('\n')
    .sort()
  expect({ lines, status }).toEqual({
    lines: [
      '  in another realm  1 file  1 test  0.0 s',
      '  pure              1 file  1 test  0.0 s',
      'Seconds of the workers, by project:',
    ],
    status: 0,
  })
})
