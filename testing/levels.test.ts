import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesLeftOut, isLeftOut, rows } from './levels.ts'
import { repositoryText } from './named-tests.ts'

const root = join(import.meta.dirname, '..')

describe('the levels of tests', () => {
  it('match a file with each of their globs', () => {
    const globs = rows.flatMap(({ files }) => files)
    const stale = globs.filter(
      (glob) => !globSync(glob, { cwd: root }).some((path) => path.endsWith('.test.ts')),
    )
    expect(stale).toEqual([])
  })

  it('leave whole files and tests by their names to later levels', () => {
    const hostTools = 'packages/executor-local/test/host-tools.test.ts'
    expect(isLeftOut(hostTools, 'local: hostile programs > a', 'test')).toBe(true)
    expect(isLeftOut(hostTools, 'local: hostile programs > a', 'all')).toBe(false)
    const contract = 'packages/executor-local/test/contract.test.ts'
    expect(isLeftOut(contract, 'local: thirteen faults (javascript) > a', 'all')).toBe(true)
    expect(isLeftOut(contract, 'local: thirteen faults (javascript) > a', 'nightly')).toBe(false)
    expect(isLeftOut(contract, 'local: thirteen faults > a', 'test')).toBe(false)
    expect(filesLeftOut('test')).toContain('packages/executor-docker/test/**')
    expect(filesLeftOut('nightly')).toEqual([])
  })

  it('leave no test that the threat model names to the nightly run alone', () => {
    const page = repositoryText('docs/threat-model.md') ?? ''
    const named = [...page.matchAll(/\(\.\.\/(\S+?\.test\.ts)(?: "((?:\\"|[^"])*)")?\)/g)]
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter(([, file = '', name = '']) => isLeftOut(file, name, 'all'))).toEqual([])
  })
})
