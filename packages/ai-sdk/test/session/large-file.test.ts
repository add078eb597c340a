// @module-tag all

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('../programs/large-file.ts', import.meta.url))

describe('a file of 2 GB', () => {
  it('gives lines near its beginning, and is refused as a whole, within a small heap', async () => {
    const flags = ['--max-old-space-size=256', '--conditions=@fenced/source']
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program])
    const refused = 'SANDBOX_FILE_FAILED'
    const each = ['one\ntwo', refused, refused, refused]
    expect(JSON.parse(stdout)).toEqual([each, each])
  })
})
