// @module-tag all

import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodeResult } from '@fenced/core'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LocalExecutor, type LocalExecutorOptions } from '../local-executor.ts'
import { python } from '../requirements.ts'

/** Prints the resident Python of a block and the interpreter that it is a fork of: ours is the parent of that one. */
const ancestors = `import os
def parent(of): return int(open(f'/proc/{of}/stat').read().rpartition(')')[2].split()[1])
print(os.getppid(), parent(os.getppid()), parent(parent(os.getppid())))`

/** Starts a process that nobody finds by its group, its environment or its parent. */
const flee = (seconds: number) =>
  `import subprocess; subprocess.Popen(['sleep', '${seconds}'], start_new_session=True, env={})`

describe.skipIf(python.missing || process.platform !== 'linux')('executors of one Python', () => {
  it('have forks of one interpreter, and also the first block of the next is a fork', async () => {
    const options = inOwnEnvironment()
    const first = await ancestorsIn(executor(options))
    const second = await ancestorsIn(executor(options))
    expect(second.server).not.toBe(first.server)
    expect(second.shared).toBe(first.shared)
    expect(first.host).toBe(process.pid)
  })

  it('start at the same time and run all their blocks', async () => {
    const options = inOwnEnvironment({ warm: {} })
    const all = Array.from({ length: 8 }, () => executor(options))
    const found = await Promise.all(all.map(ancestorsIn))
    expect(new Set(found.map(({ server }) => server)).size).toBe(8)
    expect(new Set(found.map(({ shared }) => shared)).size).toBe(1)
  })

  it.each([
    ['environment', { env: { FENCED_TEST_OTHER: '1' } }],
    ['preload', { warm: { preload: ['colorsys'] } }],
  ])('have others with another %s', async (_, other) => {
    const options = inOwnEnvironment({ warm: {} })
    const { shared } = await ancestorsIn(executor(options))
    expect((await ancestorsIn(executor({ ...options, ...other }))).shared).not.toBe(shared)
  })

  it('have others when this process has changed what it hands on', async () => {
    const options = inOwnEnvironment({ warm: {} })
    const { shared } = await ancestorsIn(executor(options))
    const umask = process.umask(0o077)
    try {
      const second = executor(options)
      expect((await ancestorsIn(second)).shared).not.toBe(shared)
      expect((await run(second, 'import os; print(oct(os.umask(0)))')).output).toBe('0o77\n')
    } finally {
      process.umask(umask)
    }
  })

  it('have others when a module that is preloaded has changed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fenced-shared-module-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const options = inOwnEnvironment({ warm: { preload: ['mine'] } }, { PYTHONPATH: folder })
    const file = join(folder, 'mine.py')
    await writeFile(file, 'value = 1')
    expect((await run(executor(options), 'import mine; print(mine.value)')).output).toBe('1\n')
    await writeFile(file, 'value = 22')
    await utimes(file, 1, 1)
    expect((await run(executor(options), 'import mine; print(mine.value)')).output).toBe('22\n')
  })

  it('have others when a package was installed', async () => {
    const base = await mkdtemp(join(tmpdir(), 'fenced-shared-base-'))
    onTestFinished(() => rm(base, { recursive: true }))
    const options = inOwnEnvironment({ warm: {} }, { PYTHONUSERBASE: base })
    const { output } = await run(executor(options), 'import site; print(site.getusersitepackages())')
    await mkdir(join(output.trim(), 'hook'), { recursive: true })
    await writeFile(join(output.trim(), 'mine.pth'), join(output.trim(), 'hook'))
    await writeFile(join(output.trim(), 'hook', 'installed_later.py'), 'value = 7')
    expect((await run(executor(options), 'import installed_later as i; print(i.value)')).output).toBe('7\n')
  })

  it('a block that kills its resident Python ends no block of another, and nothing of it is left', async () => {
    const options = inOwnEnvironment({ warm: {} })
    const [first, second] = [executor(options), executor(options)]
    const seconds = uniqueSeconds()
    await ancestorsIn(second)
    const other = run(second, 'import time; time.sleep(2); print("whole")')
    const code = `${flee(seconds)}\nimport os, time; os.kill(os.getppid(), 9); time.sleep(60)`
    expect(await run(first, code)).toMatchObject({ status: 'died', exitCode: 255 })
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect(await other).toMatchObject({ status: 'ok', output: 'whole\n' })
    expect(await run(first, 'print(1)')).toMatchObject({ status: 'ok', output: '1\n' })
  })

  it('a block that kills the interpreter ends no block, and executors get another one', async () => {
    const options = inOwnEnvironment({ warm: {} })
    const [first, second] = [executor(options), executor(options)]
    const { shared } = await ancestorsIn(first)
    await ancestorsIn(second)
    const other = run(second, 'import time; time.sleep(1); print("whole")')
    expect(await run(first, `import os; os.kill(${shared}, 9); print("killed")`)).toMatchObject({
      status: 'ok',
      output: 'killed\n',
    })
    expect(await other).toMatchObject({ status: 'ok', output: 'whole\n' })
    const third = await ancestorsIn(executor(options))
    expect(third.shared).not.toBe(shared)
    const seconds = uniqueSeconds()
    expect((await run(first, flee(seconds))).status).toBe('ok')
    await Promise.all([first.stop(), second.stop()])
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it('a block that stops the interpreter does not hold up another executor', async () => {
    const options = inOwnEnvironment({ warm: {} })
    const first = executor(options)
    const { shared } = await ancestorsIn(first)
    await run(first, `import os, signal; os.kill(${shared}, signal.SIGSTOP)`)
    expect(await run(executor(options), 'print(1)')).toMatchObject({ status: 'ok', output: '1\n' })
    await first.stop()
    await expect.poll(() => isThere(shared)).toBe(false)
  })

  it('one that is stopped in the middle of a block ends nothing of another', async () => {
    const options = inOwnEnvironment({ warm: {} })
    const [first, second] = [executor(options), executor(options)]
    const seconds = uniqueSeconds()
    const other = run(second, 'import time; time.sleep(2); print("whole")')
    const code = `${flee(seconds)}\nprint("begun", flush=True)\nimport time; time.sleep(60)`
    const stopped = first.execute([{ language: 'python', code }])
    for await (const { type } of stopped) if (type === 'stdout') void first.stop()
    await first.stop()
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect(await other).toMatchObject({ status: 'ok', output: 'whole\n' })
  })

  it('what a block makes of the interpreter does not reach the next executor', async () => {
    const options = inOwnEnvironment({ warm: {} })
    const first = executor(options)
    const { shared } = await ancestorsIn(first)
    const limits = 'import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))'
    const before = await run(first, limits)
    await run(first, `import resource; resource.prlimit(${shared}, resource.RLIMIT_NOFILE, (64, 64))`)
    expect((await run(executor(options), limits)).output).toBe(before.output)
  })

  it('an interpreter that no executor uses ends after a while', async () => {
    const first = executor(inOwnEnvironment({ warm: {} }))
    const { shared } = await ancestorsIn(first)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await first.stop()
      expect(await isThere(shared)).toBe(true)
      vi.advanceTimersByTime(60_000)
    } finally {
      vi.useRealTimers()
    }
    await expect.poll(() => isThere(shared)).toBe(false)
  })
})

/** Shares nothing with the executors of another test. */
function inOwnEnvironment(
  options: LocalExecutorOptions = {},
  env: Record<string, string> = {},
): LocalExecutorOptions {
  return { ...options, env: { FENCED_TEST: randomUUID(), ...env } }
}

function executor(options: LocalExecutorOptions): LocalExecutor {
  const made = new LocalExecutor(options)
  onTestFinished(() => made.stop())
  return made
}

async function run(executor: LocalExecutor, code: string): Promise<CodeResult> {
  return await executor.execute([{ language: 'python', code }])
}

async function ancestorsIn(executor: LocalExecutor) {
  const { output } = await run(executor, ancestors)
  const [server = 0, shared = 0, host = 0] = output.trim().split(' ').map(Number)
  return { server, shared, host }
}

/** Whether a process is there that has not ended. */
async function isThere(id: number): Promise<boolean> {
  const status = await readFile(`/proc/${id}/stat`, 'latin1').catch(() => ') Z')
  return status.slice(status.lastIndexOf(')') + 2).charAt(0) !== 'Z'
}
