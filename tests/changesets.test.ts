import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const versionOf = (name: string): string => JSON.parse(read(`packages/${name}/package.json`)).version

const entries = readdirSync(join(root, '.changeset')).filter((file) => file.endsWith('.md'))

/** The packages that a changeset names, and its text. */
const changesets = entries.map((file) => {
  const [, header = '', text = ''] = /^---\n(.*?)\n---\n+(.*?)\n*$/s.exec(read(`.changeset/${file}`)) ?? []
  return { file, header, lines: text.split('\n') }
})

/** With its headings and the versions of other packages, a changelog then fits on one screen. */
it('a changeset has highlights only: at most 12 lines of 160 characters', () => {
  const isShort = (lines: readonly string[]) =>
    lines.length <= 12 && lines.every((line) => line.length <= 160)
  expect(changesets.filter(({ lines }) => !isShort(lines)).map(({ file }) => file)).toEqual([])
})

it('the first version of every package is 0.1.0: each has one changeset, which is minor', () => {
  expect(JSON.parse(read('.changeset/config.json')).fixed).toEqual([['@fenced/*']])
  const unreleased = readdirSync(join(root, 'packages')).filter((name) => versionOf(name) === '0.0.0')
  const headers = changesets.map(({ header }) => header)
  const named = unreleased.map((name) => headers.filter((header) => header.includes(`'@fenced/${name}':`)))
  expect(named).toEqual(unreleased.map((name) => [`'@fenced/${name}': minor`]))
})
