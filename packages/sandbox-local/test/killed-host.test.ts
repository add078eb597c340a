import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { processesLeft, uniqueSeconds } from '@fenced/core/testing'
import { LocalSandbox, type LocalSandboxOptions } from '@fenced/sandbox-local'
import { describe, expect, it } from 'vitest'
import { bubblewrap } from './requirements.ts'

const program = join(import.meta.dirname, 'programs/killed-host.ts')

/** What of a host's sandbox is left when the host was killed: processes that sleep for this number of seconds. */
async function leftOf(options: LocalSandboxOptions, role: string, script: (sleep: string) => string) {
  const seconds = `${uniqueSeconds()}`
  const args = ['--conditions=@fenced/source', program]
  const settings = [JSON.stringify(options), role, script(`sleep ${seconds}`)]
  await expect(promisify(execFile)(process.execPath, [...args, ...settings])).rejects.toMatchObject({
    signal: 'SIGKILL',
  })
  const left = await processesLeft(seconds)
  // Its temporary directory goes with the next start.
  await using next = new LocalSandbox()
  await next.start()
  return left
}

const roles = ['block', 'process'] as const

describe.skipIf(process.platform !== 'linux').concurrent('of a host that is killed', () => {
  it.each(roles)('a %s ends with its children and with what left its session', async (role) => {
    const script = (sleep: string) => `${sleep} & setsid ${sleep} & echo started; ${sleep}`
    expect(await leftOf({}, role, script)).toEqual([])
  })

  describe.skipIf(bubblewrap.missing)('in bubblewrap', () => {
    const limited = roles.map((role) => ({ role, kind: 'with limits', limits: {} }))
    const unlimited = roles.map((role) => ({
      role,
      kind: 'without limits',
      limits: { memoryBytes: false, pids: false } as const,
    }))
    it.each([...limited, ...unlimited])(
      'a $role $kind ends with all that it started, also what cleared its environment',
      async ({ role, limits }) => {
        const script = (sleep: string) => `setsid env -i ${sleep} & ${sleep} & echo started; ${sleep}`
        expect(await leftOf({ isolation: 'bubblewrap', ...limits }, role, script)).toEqual([])
      },
    )
  })
})
