import { describe, expect, it } from 'vitest'
import { filesLeftOut, isLeftOut, moduleTags } from './levels.ts'
import { repositoryText } from './named-tests.ts'
import { RowTagger } from './row-tags.ts'

describe('the levels of tests', () => {
  it('leave tests to later levels by their tags', () => {
    expect(isLeftOut([], 'test')).toBe(false)
    expect(isLeftOut(['all'], 'test')).toBe(true)
    expect(isLeftOut(['all'], 'all')).toBe(false)
    expect(isLeftOut(['all', 'nightly'], 'all')).toBe(true)
    expect(isLeftOut(['nightly'], 'nightly')).toBe(false)
  })

  it('leave out whole files by the tag at their beginning', () => {
    expect(filesLeftOut('test')).toContain('packages/executor-docker/test/life.test.ts')
    expect(filesLeftOut('all')).not.toContain('packages/executor-docker/test/life.test.ts')
    expect(filesLeftOut('all')).toContain('packages/executor-docker/test/many.test.ts')
    expect(filesLeftOut('nightly')).toEqual([])
  })

  it('leave no test that the threat model names to the nightly run alone', () => {
    const page = repositoryText('docs/threat-model.md') ?? ''
    const named = [...page.matchAll(/\(\.\.\/(\S+?\.test\.ts)(?: "((?:\\"|[^"])*)")?\)/g)]
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter(([, file = '', name = '']) => isNightly(file, name))).toEqual([])
  })
})

function isNightly(file: string, name: string): boolean {
  const text = repositoryText(file) ?? ''
  const options = / \{[^}]*\btags: 'nightly'/y
  options.lastIndex = text.indexOf(name) + name.length + "',".length
  return moduleTags(text).includes('nightly') || (name !== '' && options.test(text))
}

describe('the tags of rows', () => {
  const tags = { all: ['warm'], nightly: ['podman', { in: 'busybox', except: ['a tree'] }] }

  it('come from parts of their names, and from exceptions', () => {
    const tagger = new RowTagger()
    expect(tagger.tagsOf('docker > runs', [tags])).toEqual([])
    expect(tagger.tagsOf('podman > is warm', [tags])).toEqual(['all', 'nightly'])
    expect(tagger.tagsOf('busybox > ends a tree', [tags])).toEqual([])
    expect(tagger.tagsOf('busybox > runs', [tags])).toEqual(['nightly'])
    expect(tagger.tagsOf('podman > the executor of these rows stops', [tags])).toEqual([])
    tagger.end()
  })

  it('fail a run in which a part is in no name', () => {
    const tagger = new RowTagger()
    tagger.tagsOf('podman > is warm', [tags])
    expect(() => tagger.end()).toThrow('busybox')
  })
})
