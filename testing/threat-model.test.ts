import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hasTestNamed, repositoryText, runsSharedSuite } from './named-tests.ts'

const page = repositoryText('docs/threat-model.md') ?? ''
const linkToTest = /\]\(\.\.\/(\S+?\.ts)(?: "((?:\\"|[^"])*)")?\)/g

/** A cell as a reader sees it: the text of links, without marks. */
const visibleText = (cell: string) =>
  cell.replace(/\[([^\]]*)\]\([^\s)]+(?: "(?:\\"|[^"])*")?\)/g, '$1').replace(/[*`]/g, '')

/** Test files that a text links to, with the test that a link names as its title. */
const linksOf = (text: string) =>
  [...text.matchAll(linkToTest)].map(([, file = '', title]) => ({
    file,
    name: title?.replaceAll('\\"', '"'),
  }))

const promises = page.split('\n').filter((line) => /^\| (?!promise|---|who)[A-Z`]/.test(line))

describe('the threat model', () => {
  it('links only to files that exist', () => {
    const links = linksOf(page)
    expect(links.length).toBeGreaterThan(60)
    expect(links.filter(({ file }) => repositoryText(file) === undefined)).toEqual([])
  })

  it('names a test for each promise', () => {
    expect(promises.length).toBeGreaterThan(40)
    expect(promises.filter((line) => !linksOf(line).some(({ name }) => name !== undefined))).toEqual([])
  })

  it('names only tests that exist, and names one wherever a file has tests of its own', () => {
    const isFound = ({ file, name }: { file: string; name: string | undefined }) =>
      name === undefined ? runsSharedSuite(file) : hasTestNamed(file, name)
    expect(linksOf(page).filter((link) => !isFound(link))).toEqual([])
  })

  it('has no cell of more than 300 visible characters, which are three lines', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| '))
    expect(rows.length).toBeGreaterThan(100)
    const cells = rows.flatMap((row) => row.slice(2, -2).split(' | '))
    expect(cells.map(visibleText).filter((text) => text.length > 300)).toEqual([])
  })

  it('links to every test of an attack', () => {
    const attacks = globSync('packages/*/{src,test}/**/*.attack.test.ts', {
      cwd: new URL('..', import.meta.url),
      exclude: (name) => name.includes('node_modules'),
    })
    const linked = linksOf(page).map(({ file }) => file)
    expect(attacks.filter((file) => !linked.includes(file))).toEqual([])
  })
})
