import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { extractCodeBlocks } from '@fenced/core'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

it.each([
  { page: 'docs/next.md', file: 'examples/ai-sdk/web-response.ts' },
  { page: 'docs/next.md', file: 'examples/frameworks/next/app/page.tsx' },
])('$page shows the code of $file', ({ page, file }) => {
  const shown = extractCodeBlocks(textOf(page)).map(({ code }) => `${code}\n`)
  expect(shown).toContain(textOf(file))
})

// The site's column has room for 75 characters. Output is as the program prints it.
it('code on pages fits on the site', ({ everyRow }) => {
  const pages = '{*,docs/*,{apps,packages,examples}/*/README,packages/*/skills/*/SKILL}.md'
  return everyRow(globSync(pages, { cwd: root }), (page) => {
    const code = extractCodeBlocks(textOf(page)).filter(
      ({ language }) => language !== 'text' && language !== '',
    )
    const lines = code.flatMap((block) => block.code.split('\n'))
    expect(lines.filter((line) => [...line].length > 75)).toEqual([])
  })
})
