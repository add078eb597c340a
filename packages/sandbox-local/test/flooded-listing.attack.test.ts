import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('programs/flooded-listing.ts', import.meta.url))

describe('a directory with more names than are listed', () => {
  it('is refused, as is a listing without an end, within a small heap', async () => {
    const flags = ['--max-old-space-size=96', '--conditions=@fenced/source']
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program])
    expect(JSON.parse(stdout)).toEqual(['FILE_REFUSED', 'FILE_REFUSED', 'FILE_REFUSED'])
  })
})
