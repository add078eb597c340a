import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { CommandLineCodeExecutor, type PoolCreateOptions, SandboxPool } from '@fenced/sandbox'
import { expect, it, onTestFinished } from 'vitest'
import { LocalSandbox } from '../src/index.ts'

it('a pool hands out sandboxes that are started, and takes them down when they are given back', async () => {
  const pool = new SandboxPool({ create: () => new LocalSandbox(), size: 1, max: 2 })
  onTestFinished(() => pool.stop())
  await pool.start()
  const lease = await pool.acquire()
  const { directory } = lease.resource
  await lease.resource.files.write('note.txt', 'mine')
  expect(await readdir(directory)).toEqual(['note.txt'])
  await lease.release()
  expect(existsSync(directory)).toBe(false)
})

it('a key of executors keeps its files from one answer to the next', async () => {
  const create = () => {
    const sandbox = new LocalSandbox()
    const executor = new CommandLineCodeExecutor({ sandbox })
    const stop = () => executor.stop().finally(() => sandbox.stop())
    return { start: executor.start.bind(executor), stop, executor, directory: sandbox.directory }
  }
  const pool = new SandboxPool({ create, size: 0 })
  onTestFinished(() => pool.stop())
  const run = async (key: string, code: string) => {
    const lease = await pool.get(key)
    try {
      return (await lease.resource.executor.execute([{ language: 'sh', code }])).output
    } finally {
      await lease.release()
    }
  }
  await run('ada', 'echo 42 > answer')
  expect(await run('ada', 'cat answer')).toBe('42\n')
  expect(await run('bob', 'ls')).toBe('')
  const { resource } = await pool.get('ada')
  await pool.stop()
  expect(existsSync(resource.directory)).toBe(false)
})

it('a key keeps the files of its executor when another key needs the place', async () => {
  const create = ({ workDir }: PoolCreateOptions) =>
    new CommandLineCodeExecutor({ sandbox: new LocalSandbox({ workDir }) })
  const pool = new SandboxPool({ create, size: 0, max: 1 })
  onTestFinished(() => pool.stop())
  const run = async (key: string, code: string) => {
    await using lease = await pool.get(key)
    const { output } = await lease.resource.execute([{ language: 'sh', code }])
    return { output, notice: lease.notice?.data }
  }
  await run('ada', 'mkdir -p work/deep; echo 42 > work/deep/answer; chmod 500 work/deep')
  expect(await run('bob', 'ls')).toEqual({ output: '', notice: undefined })
  expect(await run('ada', 'cat work/deep/answer')).toEqual({
    output: '42\n',
    notice: { reason: 'needed', files: 'kept' },
  })
})
