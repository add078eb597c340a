// @module-tag all

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { CodeResult } from '@fenced/core'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, vi } from 'vitest'
import { LocalExecutor, type LocalExecutorOptions } from '../local-executor.ts'
import { python } from '../requirements.ts'

/** Prints the parent of the program: us, or the Python that it is a fork of. */
const whoseChild = 'import os; print(os.getppid())'

describe.skipIf(python.missing)('without the option', () => {
  it('all blocks are forks of one interpreter, from the first one on', async () => {
    await using executor = new LocalExecutor(inOwnEnvironment())
    const first = (await run(executor, whoseChild)).output
    expect(first).not.toBe(`${process.pid}\n`)
    expect((await run(executor, whoseChild)).output).toBe(first)
  })

  it('an idle executor starts the interpreter in advance, and its first Python block uses it', async () => {
    await using executor = new LocalExecutor(inOwnEnvironment())
    await executor.start()
    // Does not wait for it.
    const parentOfNode = async () =>
      (await executor.execute([{ language: 'javascript', code: 'console.log(process.ppid)' }])).output
    // Blocks restart the timer of the start, so they must not follow at once.
    await expect.poll(parentOfNode, { interval: 100, timeout: 120_000 }).not.toBe(`${process.pid}\n`)
    expect((await run(executor, whoseChild)).output).toBe(await parentOfNode())
  })

  it('the interpreter that stays ends when it is not used, and so does the one that it is a fork of', async () => {
    await using executor = new LocalExecutor(inOwnEnvironment())
    await run(executor, whoseChild)
    const before = await children()
    const runner = Number((await run(executor, whoseChild)).output)
    const shared = (await children()).filter((each) => !before.includes(each))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      expect((await run(executor, whoseChild)).output).toBe(`${runner}\n`)
      vi.advanceTimersByTime(5 * 60_000)
      await vi.waitUntil(() => !isThere(runner), { timeout: 120_000 })
      // The time of the other one begins when this process hears of that end.
      const ended = () => {
        vi.advanceTimersByTime(60_000)
        return !shared.some((each) => isThere(Number(each)))
      }
      await vi.waitUntil(ended, { timeout: 120_000 })
    } finally {
      vi.useRealTimers()
    }
    const next = (await run(executor, whoseChild)).output
    expect([`${process.pid}\n`, `${runner}\n`]).not.toContain(next)
  })

  it('an executor that is stopped at any moment after its first block leaves nothing but one interpreter', async () => {
    const before = await children()
    const options = inOwnEnvironment()
    for (const pauseMs of [0, 15, 20, 25, 30, 40, 60]) {
      const executor = new LocalExecutor(options)
      await run(executor, 'print(1)')
      await sleep(pauseMs)
      await executor.stop()
      // One that was given up ends by itself.
      const left = async () => (await children()).filter((each) => !before.includes(each)).length
      await expect.poll(left).toBeLessThanOrEqual(1)
    }
  })

  it('a Python that cannot do it runs blocks as ever, and nothing is said of it', async () => {
    await using executor = new LocalExecutor({ env: { PYTHONINSPECT: '1' } })
    for (let block = 0; block < 3; block++) {
      const { output, blocks } = await run(executor, whoseChild)
      expect(output).toContain(`${process.pid}\n`)
      expect(blocks[0]?.notices).toEqual([])
    }
  })
})

/** Shares no interpreter with the executors of other tests. */
function inOwnEnvironment(): LocalExecutorOptions {
  return { env: { FENCED_TEST: randomUUID() } }
}

/** Whether a process is there that has not ended. */
function isThere(id: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Processes that this one, or another, has started and that have not ended. */
async function children(of = process.pid): Promise<string[]> {
  const text = await readFile(`/proc/${of}/task/${of}/children`, 'utf8')
  return text.split(' ').filter(Boolean)
}

describe.skipIf(python.missing)('warm', () => {
  it('runs Python blocks in processes of their own, which have one parent', async () => {
    await using executor = warm({})
    const first = await run(executor, 'import os; x = 1; print(os.getpid(), os.getppid())')
    const second = await run(executor, 'import os; print("x" in globals(), os.getpid(), os.getppid())')
    const [id, parent] = first.output.trim().split(' ')
    expect(second.output).toMatch(new RegExp(`^False (?!${id} )\\d+ ${parent}\n$`))
    expect(second.blocks[0]?.notices).toEqual([])
  })

  it('leaves other languages as they are', async () => {
    await using executor = warm({})
    const result = await executor.execute([
      { language: 'sh', code: 'echo sh' },
      { language: 'javascript', code: 'console.log("js")' },
      { language: 'python', code: 'print("py")' },
    ])
    expect(result).toMatchObject({ status: 'ok', output: 'sh\njs\npy\n' })
  })

  it.each([
    ['that is not there', 'no_such_module', 'ModuleNotFoundError'],
    ['that fails', 'antigravity.nothing', 'ModuleNotFoundError'],
  ])('refuses at the start a module %s', async (_, name, error) => {
    await using executor = warm({ preload: ['json', name] })
    await expect(executor.start()).rejects.toMatchObject({
      code: 'PRELOAD_FAILED',
      data: { module: name, reason: expect.stringContaining(error) },
    })
    await expect(async () => await run(executor, 'print(1)')).rejects.toMatchObject({
      code: 'PRELOAD_FAILED',
    })
  })

  it('refuses what is no name of a module at the door', () => {
    expect(() => warm({ preload: ['os; print(1)'] })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'warm.preload.0' } }),
    )
  })

  it('a time limit ends a block that has stopped its parent, and the next one has the same parent', async () => {
    await using executor = warm({})
    const before = await run(executor, 'import os; print(os.getppid())')
    const code = 'import os, signal, time; os.kill(os.getppid(), signal.SIGSTOP); time.sleep(600)'
    const result = await executor.execute([{ language: 'python', code }], { timeoutMs: 500 })
    expect(result).toMatchObject({
      status: 'timeout',
      exitCode: 124,
      blocks: [{ notices: [{ code: 'timeout' }] }],
    })
    expect((await run(executor, 'import os; print(os.getppid())')).output).toBe(before.output)
  })

  it.runIf(process.platform === 'linux')(
    'a process that left the session of its block gets SIGTERM and time to save when the block is cancelled',
    async () => {
      await using executor = warm({}, { killGraceMs: 20_000 })
      const code = `
import os, signal, time
if os.fork() == 0:
    os.setsid()
    def save(*_):
        time.sleep(0.2)
        open('saved', 'w').close()
        os._exit(0)
    signal.signal(signal.SIGTERM, save)
    print('ready', flush=True)
time.sleep(600)`
      const cancelling = new AbortController()
      const running = executor.execute([{ language: 'python', code }], { signal: cancelling.signal })
      for await (const event of running) if (event.type === 'stdout') cancelling.abort()
      expect(await running).toMatchObject({ status: 'cancelled', files: [{ path: 'saved' }] })
    },
  )

  it('a block that kills its parent died, and the next one has a new parent', async () => {
    await using executor = warm({ preload: ['colorsys'] })
    const seconds = uniqueSeconds()
    const before = await run(executor, 'import os; print(os.getppid())')
    const result = await run(
      executor,
      `import os, subprocess, time\nsubprocess.Popen(['sleep', '${seconds}'], start_new_session=True)\nprint('early')\ntime.sleep(0.5)\nos.kill(os.getppid(), 9)\ntime.sleep(60)`,
    )
    expect(result).toMatchObject({ status: 'died', exitCode: 255, output: expect.stringMatching(/^early\n/) })
    expect(result.blocks[0]?.notices).toMatchObject([{ code: 'died' }])
    expect(await processesLeft(`${seconds}`)).toEqual([])
    const after = await run(executor, 'import os, sys; print(os.getppid()); assert "colorsys" in sys.modules')
    expect(after.status).toBe('ok')
    expect(after.output).not.toBe(before.output)
  })

  it.runIf(process.platform === 'linux').each([
    ['niceness', 'os.setpriority(os.PRIO_PROCESS, pid, 19)'],
    ['scheduling policy', 'os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))'],
    ['processors', 'os.sched_setaffinity(pid, {min(os.sched_getaffinity(0))})'],
    [
      'soft limit',
      'resource.prlimit(pid, resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))',
    ],
    ['hard limit', 'resource.prlimit(pid, resource.RLIMIT_NOFILE, (64, 64))'],
    ['limit on processes', 'resource.prlimit(pid, resource.RLIMIT_NPROC, (0, 0))'],
  ])(
    'what a block makes of its parent and of the next block does not reach that one: %s',
    async (_, change) => {
      await using executor = warm({})
      const show =
        'import os, resource; print(os.nice(0), os.sched_getscheduler(0), os.sched_getaffinity(0), resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_NPROC))'
      const before = await run(executor, show)
      const ofParent = await run(executor, `import os, resource; pid = os.getppid(); ${change}; print(pid)`)
      expect(ofParent.status).toBe('ok')
      expect(await run(executor, show)).toMatchObject({ status: 'ok', output: before.output })
      const runner = (await run(executor, 'import os; print(os.getppid())')).output.trim()
      // The next one waits already, as the only child.
      const ofNext = `import os, resource\npid = int(open('/proc/${runner}/task/${runner}/children').read())\n${change}`
      const { status } = await executor.execute([{ language: 'sh', code: `python3 -c "${ofNext}"` }])
      expect(status).toBe('ok')
      expect(await run(executor, show)).toMatchObject({ status: 'ok', output: before.output })
    },
  )

  it('a parent that ends between two blocks is not missed', async () => {
    await using executor = warm({})
    const runner = Number((await run(executor, 'import os; print(os.getppid())')).output)
    // The process that waits for the next block holds the same output.
    const all = [runner, ...(await children(runner)).map(Number)]
    process.kill(runner, 'SIGKILL')
    await expect.poll(() => all.filter(isThere)).toEqual([])
    // Until this process has read the end of its output.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    expect(await run(executor, 'print(7)')).toMatchObject({ status: 'ok', output: '7\n' })
  })

  it('what a block installs is there for the next one', async () => {
    const base = await mkdtemp(join(tmpdir(), 'fenced-user-base-'))
    await using executor = warm({ preload: ['json'] }, { env: { PYTHONUSERBASE: base } })
    const { output } = await run(
      executor,
      'import site, os; print(site.getusersitepackages()); print(os.getppid())',
    )
    const [folder = '', parent] = output.split('\n')
    await mkdir(join(folder, 'hook'), { recursive: true })
    // Only an interpreter that starts reads these.
    await writeFile(join(folder, 'mine.pth'), join(folder, 'hook'))
    await writeFile(join(folder, 'hook', 'installed_later.py'), 'value = 7')
    const after = await run(
      executor,
      'import installed_later, os; print(installed_later.value, os.getppid())',
    )
    expect(after.output).toMatch(new RegExp(`^7 (?!${parent}\n)\\d+\n$`))
    await rm(base, { recursive: true })
  })

  it('says once where it cannot be, and runs blocks all the same', async () => {
    await using executor = warm({}, { env: { PYTHONINSPECT: '1' } })
    const first = await run(executor, 'print(7)')
    expect(first.blocks[0]).toMatchObject({ status: 'ok', stdout: '7\n' })
    expect(first.blocks[0]?.notices).toMatchObject([
      { code: 'not-warm', data: { reason: expect.stringContaining('PYTHONINSPECT') } },
    ])
    expect((await run(executor, 'print(7)')).blocks[0]?.notices).toEqual([])
  })

  it('a Python that is not there is an error of the start', async () => {
    await using executor = warm({}, { python: '/no/such/python' })
    await expect(run(executor, 'print(7)')).rejects.toMatchObject({ code: 'PYTHON_NOT_FOUND' })
  })

  it('the start can be cancelled while modules are imported', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fenced-slow-module-'))
    const seconds = uniqueSeconds()
    await writeFile(join(folder, 'slow.py'), `import subprocess\nsubprocess.run(['sleep', '${seconds}'])`)
    await using executor = warm({ preload: ['slow'] }, { env: { PYTHONPATH: folder } })
    await expect(executor.start({ signal: AbortSignal.timeout(500) })).rejects.toThrow(/timeout/i)
    expect(await processesLeft(`${seconds}`)).toEqual([])
    await rm(folder, { recursive: true })
  })

  it('leaves no descriptor, process or listener behind', { timeout: 120_000 }, async () => {
    const { before, after } = JSON.parse((await host('warm-blocks.ts')).stdout)
    // What the first block starts in the background may end meanwhile.
    for (const [what, count] of Object.entries(after)) expect(count, what).toBeLessThanOrEqual(before[what])
    // The one that waits for the next block.
    expect(after.children).toBe(1)
  })

  // The last one by SIGKILL, after its program has stopped the resident Python, which can end nothing then.
  it.each(['exit', 'throw', 'SIGTERM', 'SIGKILL', 'stopped'])(
    'a host that leaves by %s takes all along',
    async (way) => {
      const seconds = `${uniqueSeconds()}`
      await host('warm-host.ts', way, seconds).catch(() => {})
      expect(await processesLeft(seconds)).toEqual([])
    },
  )

  it('does not keep a host that has nothing to do', async () => {
    await host('warm-host.ts', 'idle', '0')
  })
})

function warm(option: LocalExecutorOptions['warm'], more: LocalExecutorOptions = {}): LocalExecutor {
  return new LocalExecutor({ ...more, warm: option })
}

async function run(executor: LocalExecutor, code: string): Promise<CodeResult> {
  return await executor.execute([{ language: 'python', code }])
}

async function host(program: string, ...args: string[]): Promise<{ stdout: string }> {
  const file = join(import.meta.dirname, '../programs', program)
  const folder = await mkdtemp(join(tmpdir(), 'fenced-warm-host-'))
  try {
    return await promisify(execFile)(process.execPath, ['--conditions=@fenced/source', file, ...args], {
      env: { ...process.env, TMPDIR: folder },
      timeout: 100_000,
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}
