import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { extractCodeBlocks } from '@fenced/core'
import { describe, expect, it } from 'vitest'

const packages = join(import.meta.dirname, '../..')

describe('a page', () => {
  it.each([
    ['../docs/writing-an-executor.md', 'host/test/example/node-executor.ts'],
    ['../docs/writing-an-executor.md', 'host/test/example/node-executor.contract.ts'],
    ['../docs/writing-an-executor.md', 'host/test/example/c-executor.ts'],
    ['../docs/writing-an-executor.md', '../examples/sql-executor/sql-executor.test.ts'],
  ])('%s shows %s as it is', async (readme, file) => {
    const text = await readFile(join(packages, readme), 'utf8')
    const code = await readFile(join(packages, file), 'utf8')
    expect(extractCodeBlocks(text).map((block) => block.code)).toContain(code.trim())
  })
})
