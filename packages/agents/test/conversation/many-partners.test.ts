// @module-tag nightly

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('programs/many-partners.ts', import.meta.url))

describe('an agent with a new partner for each request', () => {
  it('forgets partners that nothing else keeps, within a small heap', async () => {
    const flags = ['--max-old-space-size=160', '--conditions=@fenced/source']
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program])
    expect(JSON.parse(stdout)).toEqual({
      partners: 100,
      newest: '2499',
      first: 'Received.',
      ofFirst: 'Received.',
    })
  })
})
