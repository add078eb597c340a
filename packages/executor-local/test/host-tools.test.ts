import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describeHostTools, processesLeft, uniqueSeconds } from '@fenced/core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

const places: Readonly<Record<string, LocalExecutorOptions>> = {
  local: {},
  'local with `warm: false`': { warm: false },
}

describe.skipIf(python.missing)('host tools', () => {
  for (const [name, options] of Object.entries(places)) {
    describeHostTools({ describe, it }, { name, create: () => new LocalCommandLineCodeExecutor(options) })
  }

  it.runIf(process.platform === 'linux')(
    'end with a host that is killed while somebody is asked about a call: the program has ended, and nothing was called',
    async () => {
      const workDir = mkdtempSync(join(tmpdir(), 'fenced-test-'))
      onTestFinished(() => rmSync(workDir, { recursive: true }))
      const program = join(import.meta.dirname, 'programs', 'host-that-waits.ts')
      const seconds = `${uniqueSeconds()}`
      const args = ['--conditions=@fenced/source', program, workDir, seconds]
      await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({ signal: 'SIGKILL' })
      expect(await processesLeft(seconds)).toEqual([])
      expect(existsSync(join(workDir, 'called'))).toBe(false)
    },
  )
})

describe.skipIf(python.missing || bubblewrap.missing)('host tools in bubblewrap', () => {
  const create = () => new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
  describeHostTools({ describe, it }, { name: 'local in bubblewrap', create })
})
