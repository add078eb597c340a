import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('a run ends with what was missing, how many tests were skipped for it, and what makes them run', () => {
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
  const config = join(import.meta.dirname, 'fixture/vitest.config.ts')
  const { FENCED_REQUIRE: _, ...env } = process.env
  const { stdout, stderr, status } = spawnSync(process.execPath, [vitest, 'run', '--config', config], {
    encoding: 'utf8',
    env,
  })
  expect({ stdout, stderr, status }).toEqual({ stdout: list, stderr: '', status: 0 })
})

const list = `
 Skipped 7 tests:
  docker           4 tests: no engine answers
                   $ eval "$(packages/executor-docker/test/engines/engines start docker)"
  podman           2 tests: it is not installed
                   $ eval "$(packages/executor-docker/test/engines/engines start podman)"
  docker-registry  1 test: there is no engine
                   $ apt-get install docker-registry
`
