import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { gatherPages } from '../.vitepress/pages.ts'
import { moved } from '../.vitepress/redirects.ts'
import { sidebar } from '../.vitepress/sidebar.ts'

const pages = mkdtempSync(join(tmpdir(), 'fenced-pages-'))
afterAll(() => rmSync(pages, { recursive: true }))
// It throws for a link to a file that does not exist.
gatherPages(pages)

const linked = new Set(sidebar.flatMap((entry) => [entry, ...(entry.items ?? [])]).map(({ link }) => link))

it('the sidebar has every guide, and only pages that exist', () => {
  const guides = globSync('*.md', { cwd: pages }).map((file) => `/${file.replace('.md', '')}`)
  expect(guides.filter((page) => page !== '/index' && !linked.has(page))).toEqual([])
  const missing = [...linked].filter((link) => link !== undefined && !existsSync(join(pages, `${link}.md`)))
  expect(missing).toEqual([])
})

it('an old address leads to a page that exists', () => {
  expect(Object.keys(moved).filter((from) => existsSync(join(pages, `${from}.md`)))).toEqual([])
  expect(Object.values(moved).filter((to) => !existsSync(join(pages, `${to}.md`)))).toEqual([])
})

it('every page that installs from npm says that the packages are not there yet', () => {
  const texts = globSync('**/*.md', { cwd: pages }).map((file) => readFileSync(join(pages, file), 'utf8'))
  const installing = texts.filter((text) => /^(npm install|npx) .*@fenced\//m.test(text))
  expect(installing.length).toBeGreaterThan(20)
  expect(installing.filter((text) => !text.includes('not on npm yet'))).toEqual([])
})
