// @module-tag all

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LocalSandbox, type LocalSandboxOptions } from '@fenced/sandbox-local'
import { processesLeft, rowTags, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { bubblewrap, python } from './requirements.ts'

type Script = (sleep: string) => string

async function leftOf(options: LocalSandboxOptions, role: string, script: Script): Promise<string[]> {
  return leftOfHost((sleep) => ['killed-host.ts', JSON.stringify(options), role, script(sleep)])
}

/** What is left when a host was killed: processes that sleep for this number of seconds. */
async function leftOfHost(
  commandOf: (sleep: string) => [program: string, ...args: string[]],
  { startsBefore = false } = {},
) {
  const seconds = `${uniqueSeconds()}`
  const [program, ...args] = commandOf(`sleep ${seconds}`)
  const path = join(import.meta.dirname, 'programs', program)
  const command = ['--conditions=@fenced/source', path, ...args]
  await expect(promisify(execFile)(process.execPath, command)).rejects.toMatchObject({ signal: 'SIGKILL' })
  await using next = new LocalSandbox()
  if (startsBefore) await next.start()
  const left = await processesLeft(seconds)
  // Its temporary directory goes with the next start.
  await next.start()
  return left
}

const roles = ['block', 'process'] as const

const rows = rowTags({ nightly: ['SIGSTOP'] })

describe.skipIf(process.platform !== 'linux').concurrent('of a host that is killed', () => {
  it.each(roles)('a %s ends with its children and with what left its session', async (role) => {
    const script = (sleep: string) => `${sleep} & setsid ${sleep} & echo started; ${sleep}`
    expect(await leftOf({}, role, script)).toEqual([])
  })

  it('a paused process is killed by the next start', async () => {
    const script = (sleep: string) => `${sleep} & setsid ${sleep} & echo started; ${sleep}`
    const commandOf = (sleep: string): [string, ...string[]] => {
      return ['killed-host.ts', '{}', 'process', script(sleep), 'pauses']
    }
    expect(await leftOfHost(commandOf, { startsBefore: true })).toEqual([])
  })

  describe.skipIf(bubblewrap.missing)('in bubblewrap', () => {
    it('a paused process ends at once', async () => {
      const options = JSON.stringify({ isolation: 'bubblewrap', memoryBytes: false, pids: false })
      const script = (sleep: string) => `setsid ${sleep} & echo started; ${sleep}`
      expect(
        await leftOfHost((sleep) => ['killed-host.ts', options, 'process', script(sleep), 'pauses']),
      ).toEqual([])
    })

    const limited = roles.map((role) => ({ role, kind: 'with limits', limits: {} }))
    const unlimited = roles.map((role) => ({
      role,
      kind: 'without limits',
      limits: { memoryBytes: false, pids: false } as const,
    }))
    it.each([...limited, ...unlimited])(
      'a $role $kind ends with all that it started, also what cleared its environment',
      rowTags({ nightly: ['a process with', 'without limits'] }),
      async ({ role, limits }) => {
        const script = (sleep: string) => `setsid env -i ${sleep} & ${sleep} & echo started; ${sleep}`
        expect(await leftOf({ isolation: 'bubblewrap', ...limits }, role, script)).toEqual([])
      },
    )

    it.skipIf(python.missing).each([
      { how: 'which waits', code: '', waitMs: 0 },
      // Where its parent is not process 1, it cannot end by itself then.
      { how: 'which sent its parent SIGSTOP', code: 'os.kill(os.getppid(), signal.SIGSTOP)', waitMs: 500 },
    ])('a fork $how ends with all that it started', rows, async ({ code, waitMs }) => {
      const left = await leftOfHost((sleep) => {
        const start = `subprocess.Popen('setsid env -i ${sleep} & ${sleep} & echo started; ${sleep}', shell=True)`
        const program = `import os, signal, subprocess, time\n${start}\ntime.sleep(0.2)\n${code}\ntime.sleep(600)`
        return ['killed-warm-host.ts', JSON.stringify({ isolation: 'bubblewrap' }), `${waitMs}`, program]
      })
      expect(left).toEqual([])
    })
  })
})
