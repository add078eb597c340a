// @module-tag all

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

test('a run ends with what was missing, how many tests were skipped for it, and what makes them run', () => {
  expect(runFixture({})).toEqual({ stdout: `Skipped 7 tests:${causes}`, stderr: '', status: 0 })
})

test('tests that passed before, as a file of their names says, do not run', () => {
  const directory = mkdtempSync(join(tmpdir(), 'passed-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'passed.json')
  writeFileSync(
    path,
    '{ "files": [], "tests": { "testing/fixture/engines.fixture.ts": ["runs", "a container stops 1"] } }',
  )
  expect(runFixture({ FENCED_TEST_PASSED: path }).stdout).toBe(
    `Skipped 8 tests:${causes}
  passed-before    1 test: they passed in the run before this one`,
  )
})

function runFixture(variables: NodeJS.ProcessEnv) {
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
  const config = join(import.meta.dirname, 'fixture/vitest.config.ts')
  const own = /^FENCED_(?:REQUIRE|SKIP|TEST_LEVEL|TEST_PASSED)$/
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)))
  const { stdout, stderr, status } = spawnSync(process.execPath, [vitest, 'run', '--config', config], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
    env: { ...env, FENCED_TEST_LEVEL: 'all', ...variables },
  })
  return { stdout: stdout.trim(), stderr, status }
}

const causes = `
  docker           4 tests: no engine answers
                   $ eval "$(packages/executor-docker/test/engines/engines start docker)"
  podman           2 tests: it is not installed
                   $ eval "$(packages/executor-docker/test/engines/engines start podman)"
  docker-registry  1 test: there is no engine
                   $ apt-get install docker-registry`
