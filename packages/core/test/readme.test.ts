import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { extractCodeBlocks } from '@fenced/core'
import { describe, expect, it } from 'vitest'

describe('the README', () => {
  it.each([
    '../../host/test/example/node-executor.ts',
    '../../host/test/example/node-executor.test.ts',
    'example/sql-executor.test.ts',
  ])('shows %s as it is', async (file) => {
    const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')
    const code = await readFile(join(import.meta.dirname, file), 'utf8')
    expect(extractCodeBlocks(readme).map((block) => block.code)).toContain(code.trim())
  })
})
