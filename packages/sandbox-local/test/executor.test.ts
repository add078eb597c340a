// @module-tag all

import { once } from 'node:events'
import { describeExecutor } from '@fenced/contract'
import { CommandLineCodeExecutor } from '@fenced/sandbox'
import { rowTags } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { LocalSandbox } from '../src/index.ts'

// Executor-local's own contract is the same code with a sandbox of its own.
describe('the contract', rowTags({ nightly: [{ except: [': results'] }] }), () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'in a given sandbox',
      create: ({ workDir, ...options }) =>
        new CommandLineCodeExecutor({ ...options, sandbox: new LocalSandbox({ workDir }) }),
      faultLanguages: ['sh'],
      except: {
        'the working directory is known before the start, and constructing makes nothing':
          'the directory goes with the sandbox',
        'cancelling during start() leaves nothing behind, and a later start works':
          'the directory goes with the sandbox',
      },
    },
  )
})

describe('a sandbox that executors are given', () => {
  it('is shared, with processes beside the blocks, and ends when its owner says so', async () => {
    const sandbox = new LocalSandbox()
    const executors = [new CommandLineCodeExecutor({ sandbox }), new CommandLineCodeExecutor({ sandbox })]
    const write = await executors[0]?.execute([{ language: 'sh', code: 'echo shared > file.txt' }])
    expect(write?.status).toBe('ok')
    const beside = await sandbox.spawn(['/bin/sh', '-c', 'while :; do read -r text; echo "$text"; done'], {
      stdin: 'open',
    })
    const read = await executors[1]?.execute([{ language: 'sh', code: 'cat file.txt' }])
    expect(read?.output).toBe('shared\n')
    for (const executor of executors) await executor.stop()
    expect(await sandbox.files.stat('file.txt')).toMatchObject({ kind: 'file' })
    beside.stdin?.write('lives\n')
    expect(`${await once(beside.stdout, 'data')}`).toBe('lives\n')
    await sandbox.stop()
    expect(await beside.ended).toMatchObject({ kind: 'exited', wasStopped: true })
  })

  it('has to share its directory with this machine', () => {
    const sandbox = { spawn: () => {} } as never
    expect(() => new CommandLineCodeExecutor({ sandbox })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'sandbox' } }),
    )
  })
})
