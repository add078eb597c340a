import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keepAliveCommand } from '../../src/supervise/keep-alive.ts'

async function exitWith(PATH: string): Promise<unknown[]> {
  const [shell = '', ...args] = keepAliveCommand({ maxLifetimeMs: 0, idleTimeoutMs: 0 })
  const keeper = spawn(shell, args, { env: { PATH }, stdio: 'ignore' })
  return once(keeper, 'exit')
}

test.skipIf(process.platform !== 'linux')(
  'what keeps a container ends where its files are gone',
  async () => {
    expect(await exitWith('/no/such/directory')).toEqual([0, null])
  },
)

test.skipIf(process.platform !== 'linux')(
  'what keeps a container ends where it cannot wait, as where /dev/null is gone',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fenced-keep-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'sleep'), '#!/bin/sh\nexit 2\n')
    await chmod(join(folder, 'sleep'), 0o755)
    expect(await exitWith(folder)).toEqual([0, null])
  },
)

test.skipIf(process.platform !== 'linux')('what keeps a container ends with its input', async () => {
  const [shell = '', ...args] = keepAliveCommand({
    maxLifetimeMs: 0,
    idleTimeoutMs: 0,
    endsWithInput: true,
  })
  const keeper = spawn(shell, args, { stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = once(keeper, 'exit')
  keeper.stdin?.end('\n')
  expect(await ended).toEqual([0, null])
})
