import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const repository = mkdtempSync(join(tmpdir(), 'fenced-words-'))
afterAll(() => rmSync(repository, { recursive: true }))

const files = {
  'docs/page.md':
    '# Page\n\nIt goes on.\n\n```ts\n// It goes on.\n```\n\nThe text `goes on` is code.\n' +
    '[Test](one.test.ts "a \\"test\\" goes on") <!-- A note goes on. -->\n',
  'packages/one/src/index.ts': "const somebody = 1\n// Ask\n// somebody.\nprint('whoever')\n",
  'packages/one/src/one-rows.ts': "  {\n    name: 'somebody goes on',\n",
  'packages/one/test/index.test.ts': '// whoever\n',
}

it('finds phrases in prose, comments and strings, and not in code', () => {
  cpSync(join(import.meta.dirname, '../.ci'), join(repository, '.ci'), { recursive: true })
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, file)), { recursive: true })
    writeFileSync(join(repository, file), text)
  }
  execFileSync('git', ['init', '--quiet'], { cwd: repository })
  execFileSync('git', ['add', 'docs', 'packages'], { cwd: repository })
  const script = join(repository, '.ci/words.mjs')
  const { stdout, status } = spawnSync(process.execPath, [script, '--lines'], { encoding: 'utf8' })
  const places = stdout.match(/^\S+:\d+: "[^"]+"/gm)?.toSorted()
  expect(places).toEqual([
    'docs/page.md:3: "goes on"',
    'packages/one/src/index.ts:3: "somebody"',
    'packages/one/src/index.ts:4: "whoever"',
  ])
  // A few words with a phrase are above every limit.
  expect(status).toBe(1)
})
