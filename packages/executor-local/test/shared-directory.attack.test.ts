import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { CommandLineCodeExecutor } from '@fenced/sandbox'
import { LocalSandbox } from '@fenced/sandbox-local'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { bubblewrap, python } from './requirements.ts'

let workDir = ''
beforeEach(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'fenced-shared-'))
})
afterEach(() => rm(workDir, { recursive: true }))

const isolated = { isolation: 'bubblewrap' } as const
const open = { isolation: 'none' } as const

/** An executor that was started. */
async function started(options: LocalExecutorOptions): Promise<LocalCommandLineCodeExecutor> {
  const executor = new LocalCommandLineCodeExecutor({ workDir, warm: false, ...options })
  try {
    await executor.start()
  } catch (error) {
    await executor.stop()
    throw error
  }
  return executor
}

/** A process that has started an isolated executor and one without isolation, each in a directory of its own. */
async function otherProcess() {
  const file = join(import.meta.dirname, 'programs/host-with-directories.ts')
  const child = spawn(process.execPath, ['--conditions=@fenced/source', file, workDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  await Promise.race([once(child.stdout, 'data'), ended])
  return { pid: child.pid, kill, [Symbol.asyncDispose]: kill }
}

const refused = { code: 'WORK_DIR_SHARED' }

describe.skipIf(bubblewrap.missing || python.missing)('a working directory', () => {
  it('of an isolated executor runs nothing without isolation', async () => {
    await using first = await started(isolated)
    const plant = 'open("json.py", "w").write("print(\'planted\')")'
    expect(await first.execute([{ language: 'python', code: plant }])).toMatchObject({ status: 'ok' })
    await using second = new LocalCommandLineCodeExecutor({ workDir })
    const running = second.execute([{ language: 'python', code: 'import json' }])
    await expect(running).rejects.toMatchObject({
      ...refused,
      data: { path: workDir, other: 'isolated', processId: `${process.pid}`, otherPath: workDir },
    })
  })

  it('of an executor without isolation takes no isolated one', async () => {
    await using _ = await started(open)
    await expect(started(isolated)).rejects.toMatchObject({
      ...refused,
      data: { path: workDir, other: 'open' },
    })
  })

  it('is shared by two that are not isolated', async () => {
    await using _ = await started(open)
    await using second = await started(open)
    expect(await second.execute([{ language: 'sh', code: 'true' }])).toMatchObject({ status: 'ok' })
  })

  it('of an isolated executor takes no other, at any depth, unless one allows it', async () => {
    const inner = join(workDir, 'a/b')
    await using _ = await started({ ...isolated, workDir: inner })
    for (const path of ['a/b', 'a/b/c', 'a', '.']) {
      const nested = { ...isolated, workDir: join(workDir, path) }
      await expect(started(nested)).rejects.toMatchObject({ ...refused, data: { other: 'isolated' } })
      await using second = await started({ ...nested, allowSharedWorkDir: true })
      expect(await second.execute([{ language: 'sh', code: 'true' }])).toMatchObject({ status: 'ok' })
    }
    await using _beside = await started({ ...isolated, workDir: join(workDir, 'a/bb') })
  })

  it('of a sandbox is used by each of its executors, and by no other sandbox', async () => {
    await using sandbox = new LocalSandbox({ workDir, ...isolated })
    for (const _ of ['first', 'second'])
      await new CommandLineCodeExecutor({ sandbox, warm: false }).execute([{ language: 'sh', code: 'true' }])
    await using other = new LocalSandbox({ workDir, ...isolated })
    await expect(other.start()).rejects.toMatchObject(refused)
  })

  it('is free again when its executor is stopped, and stays taken while it restarts', async () => {
    await using first = await started(isolated)
    await first.restart()
    await expect(started(open)).rejects.toMatchObject(refused)
    await first.stop()
    await using _ = await started(open)
    await expect(first.start()).rejects.toMatchObject(refused)
  })

  it.each([
    ['the first', { ...isolated, allowSharedWorkDir: true }, open],
    ['the second', isolated, { ...open, allowSharedWorkDir: true }],
  ])('is shared where %s executor allows it', async (_, one, other) => {
    await using _first = await started(one)
    await using second = await started(other)
    expect(await second.execute([{ language: 'sh', code: 'true' }])).toMatchObject({ status: 'ok' })
  })

  it('is the same one behind a link, also when its path has changed since', async () => {
    const [real, link, moved] = ['real', 'link', 'moved'].map((name) => join(workDir, name)) as [
      string,
      string,
      string,
    ]
    await mkdir(real)
    await symlink(real, link)
    await using _ = await started({ ...isolated, workDir: link })
    await expect(started({ ...open, workDir: real })).rejects.toMatchObject(refused)
    await rename(real, moved)
    await expect(started({ ...open, workDir: moved })).rejects.toMatchObject(refused)
  })

  it('counts with what is below and above it, and one beside it does not', async () => {
    await using _ = await started({ ...isolated, workDir: join(workDir, 'a/b') })
    for (const path of ['a/b/c', 'a', '.'])
      await expect(started({ ...open, workDir: join(workDir, path) })).rejects.toMatchObject(refused)
    await using _beside = await started({ ...open, workDir: join(workDir, 'a/bb') })
  })

  it('that is temporary is in the way of none above it, and of each below it', async () => {
    // Other tests use the usual one at the same time.
    vi.stubEnv('TMPDIR', workDir)
    onTestFinished(() => void vi.unstubAllEnvs())
    await using temporary = await started({ ...isolated, workDir: undefined })
    await using _ = await started({ ...open, workDir })
    await expect(started({ ...open, workDir: join(temporary.workDir, 'a') })).rejects.toMatchObject(refused)
  })

  it('that was made again is looked at again', async () => {
    const path = join(workDir, 'work')
    await using first = await started({ ...open, workDir: path })
    await rename(path, join(workDir, 'old'))
    await using _ = await started({ ...isolated, workDir: path })
    const running = first.execute([{ language: 'sh', code: 'true' }])
    await expect(running).rejects.toMatchObject(refused)
  })

  it('that another process uses is refused, and free when that is killed', async () => {
    await using other = await otherProcess()
    const [beside, behind] = [
      { ...open, workDir: join(workDir, 'bubblewrap') },
      { ...isolated, workDir: join(workDir, 'none') },
    ]
    const data = expect.objectContaining({ processId: `${other.pid}` })
    await expect(started(beside)).rejects.toMatchObject({ ...refused, data })
    await expect(started(behind)).rejects.toMatchObject({ ...refused, data })
    await other.kill()
    await using _beside = await started(beside)
    await using _behind = await started(behind)
  })

  it('is kept by a sandbox as by an executor', async () => {
    await using sandbox = new LocalSandbox({ workDir, ...isolated })
    await sandbox.start()
    await expect(started(open)).rejects.toMatchObject(refused)
    await sandbox.stop()
    await using _ = await started(open)
    await expect(sandbox.start()).rejects.toMatchObject(refused)
  })
})
