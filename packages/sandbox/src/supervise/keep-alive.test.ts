import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { keepAliveCommand } from './keep-alive.ts'

test.skipIf(process.platform !== 'linux')(
  'what keeps a container ends where its files are gone',
  async () => {
    const [shell = '', ...args] = keepAliveCommand({ maxLifetimeMs: 0, idleTimeoutMs: 0 })
    const keeper = spawn(shell, args, { env: { PATH: '/no/such/directory' }, stdio: 'ignore' })
    expect(await once(keeper, 'exit')).toEqual([0, null])
  },
)
