import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unannouncedChanges } from './unannounced-changes.ts'

it('a package whose API is not that of its last release has a changeset', () => {
  expect(unannouncedChanges(join(import.meta.dirname, '../..'))).toEqual([])
})

describe('in a repository with one package', () => {
  let root: string

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'fenced-releases-'))
    mkdirSync(join(root, '.changeset'))
    mkdirSync(join(root, 'packages/core'), { recursive: true })
    execFileSync('git', ['init', '--quiet'], { cwd: root })
    write('packages/core/api.md', 'one')
  })

  afterEach(() => rmSync(root, { recursive: true, force: true }))

  function write(file: string, text: string): void {
    writeFileSync(join(root, file), text)
  }

  function commit(): void {
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost']
    execFileSync('git', ['add', '--all'], { cwd: root })
    execFileSync('git', [...author, 'commit', '--quiet', '--message', 'Commit'], { cwd: root })
  }

  it('one that was never released needs a changeset', () => {
    write('README.md', '')
    commit()
    expect(unannouncedChanges(root)).toEqual(['core'])
    write('.changeset/core.md', "---\n'@fenced/core': minor\n---\n\nNew.\n")
    expect(unannouncedChanges(root)).toEqual([])
  })

  it('a change after a release needs one that names the package, committed or not', () => {
    write('packages/core/CHANGELOG.md', '0.1.0')
    commit()
    expect(unannouncedChanges(root)).toEqual([])
    write('packages/core/api.md', 'two')
    expect(unannouncedChanges(root)).toEqual(['core'])
    commit()
    expect(unannouncedChanges(root)).toEqual(['core'])
    write('.changeset/other.md', "---\n'@fenced/core-of-another': patch\n---\n\nNew.\n")
    expect(unannouncedChanges(root)).toEqual(['core'])
    write('.changeset/core.md', "---\n'@fenced/core': patch\n---\n\nNew.\n")
    expect(unannouncedChanges(root)).toEqual([])
  })
})
