// @module-tag all

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rowTags } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { bubblewrap } from './requirements.ts'

const isolations = bubblewrap.missing ? ['none'] : ['none', 'bubblewrap']

describe.runIf(process.platform !== 'win32').concurrent('a program that ended in time', () => {
  it.each(['busy', 'stopped'])(
    'has its own status where the host was %s until after its limit',
    rowTags({ nightly: ['was busy'] }),
    async (way) => {
      const file = join(import.meta.dirname, 'programs/host-that-is-late.ts')
      const args = ['--conditions=@fenced/source', file, way, ...isolations]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      expect(JSON.parse(stdout)).toEqual(isolations.map(() => ['ok', 'whole\n']))
    },
  )
})
