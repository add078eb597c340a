import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { extractCodeBlocks } from '@fenced/core'
import { describe, expect, it } from 'vitest'

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')
const blocks = extractCodeBlocks(readme)

describe('the README', () => {
  it('has a first example that prints what it says', async () => {
    const first = blocks.find(({ language }) => language === 'typescript')
    const shown = blocks.find(({ language }) => language === 'text')
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@fenced/source', '--input-type=module-typescript', '--eval', first?.code ?? ''],
      { cwd: import.meta.dirname },
    )
    expect(stdout).toBe(`${shown?.code}\n`)
  })

  it.each(['node-executor.ts', 'node-executor.test.ts'])('shows %s as it is', async (file) => {
    const code = await readFile(join(import.meta.dirname, 'example', file), 'utf8')
    expect(blocks.map((block) => block.code)).toContain(code.trim())
  })
})
