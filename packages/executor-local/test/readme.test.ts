import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { extractCodeBlocks } from '@fenced/core'
import { expect, it } from 'vitest'
import { python } from './requirements.ts'

it.skipIf(python.missing)('the README’s first example prints what the README says', async () => {
  const blocks = extractCodeBlocks(await readFile(join(import.meta.dirname, '../README.md'), 'utf8'))
  const first = blocks.find(({ language }) => language === 'typescript')
  const shown = blocks.find(({ language }) => language === 'text')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@fenced/source', '--input-type=module-typescript', '--eval', first?.code ?? ''],
    { cwd: import.meta.dirname },
  )
  expect(stdout).toBe(`${shown?.code}\n`)
})
