// @module-tag all

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { passages, rewordedSource } from './reworded.ts'

test.each([
  ['Vite', []],
  ['Node', ['--experimental.viteModuleRunner=false']],
])('errors and notices have other words in modules that %s loads', (_, parameters) => {
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
  const config = join(import.meta.dirname, 'fixture/reworded.config.ts')
  const { stdout, status } = spawnSync(process.execPath, [vitest, 'run', '--config', config, ...parameters], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
    env: { ...process.env, FENCED_TEST_REWORDED: '1', FENCED_TEST_MESSAGES: undefined },
  })
  expect({ stdout, status }).toEqual({ stdout: expect.stringContaining('3 passed'), status: 0 })
})

test('every module has the text that a run with other words replaces', ({ everyRow }) =>
  everyRow(Object.keys(passages), (path) => {
    const source = readFileSync(join(import.meta.dirname, '..', path), 'utf8')
    expect(rewordedSource(join(import.meta.dirname, '..', path), source)).not.toBe(source)
  }))

test('a module that no longer gives its message where it did is an error', () => {
  const path = join(import.meta.dirname, '../packages/errors/src/fenced-error.ts')
  expect(() => rewordedSource(path, 'super(text)')).toThrow('Update testing/reworded.ts.')
})
