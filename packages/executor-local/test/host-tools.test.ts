import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describeHostTools } from '@fenced/contract'
import { processesLeft, rowTags, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

const places: Readonly<Record<string, LocalExecutorOptions>> = {
  local: {},
  'local with `warm: false`': { warm: false },
}

const placeRows = rowTags({ all: ['hostile programs', 'programs of Node'], nightly: ['`warm: false`'] })
const bubblewrapRows = rowTags({
  all: ['in bubblewrap: '],
  nightly: [
    'programs of Node',
    { in: ': host tools > ', except: ['a program passes values', 'programs in other languages'] },
  ],
})

describe.skipIf(python.missing)('host tools', placeRows, () => {
  for (const [name, options] of Object.entries(places)) {
    describeHostTools({ describe, it }, { name, create: () => new LocalCommandLineCodeExecutor(options) })
  }

  it('a program that keeps a call open in a thread and computes in another ends after twice its time limit', async () => {
    const tools = { wait: () => new Promise<never>(() => {}) }
    const code = [
      'import threading, tools',
      'threading.Thread(target=tools.wait, daemon=True).start()',
      'while True: pass',
    ].join('\n')
    await using executor = new LocalCommandLineCodeExecutor({ timeoutMs: 4_000 })
    const { blocks } = await executor.execute([{ language: 'python', code }], { tools })
    const [block] = blocks
    expect(block).toMatchObject({ status: 'timeout', toolCalls: [{ tool: 'wait' }] })
    expect(block?.notices).toMatchObject([
      { code: 'timeout', data: { limitMs: '4000', option: 'timeoutMs', toolWaitMs: '4000' } },
    ])
    // The call itself would have ended after a minute.
    expect(block?.durationMs).toBeLessThan(45_000)
  })

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

const sessionRows = rowTags({
  all: [': host tools', 'hostile programs'],
  nightly: ['programs of Node', 'as many calls', 'the clock of the program', 'beyond the limit'],
})

describe.skipIf(python.missing || process.platform !== 'linux')(
  'host tools of a session',
  sessionRows,
  () => {
    const create = () => new LocalCommandLineCodeExecutor({ stateful: true })
    describeHostTools({ describe, it }, { name: 'local with a session', create })
  },
)

describe.skipIf(python.missing || bubblewrap.missing)('host tools in bubblewrap', bubblewrapRows, () => {
  const create = () => new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
  describeHostTools({ describe, it }, { name: 'local in bubblewrap', create })
})
