import { readFileSync } from 'node:fs'
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
