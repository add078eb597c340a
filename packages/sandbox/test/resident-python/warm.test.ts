import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SandboxProcess } from '@fenced/core/sandbox'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { CommandLineCodeExecutor, type CommandLineExecutorOptions } from '../../src/index.ts'
import { type LocalSandboxOptions, localSandbox } from '../local-sandbox.ts'
import { python, pythonPath } from '../python.ts'

/** The command line of the program's parent, and its number. */
const parent =
  'import os; print("fenced_runner" in open(f"/proc/{os.getppid()}/cmdline").read(), os.getppid())'

function warm(own: Partial<CommandLineExecutorOptions> = {}, options: LocalSandboxOptions = {}) {
  const made = localSandbox(options)
  const executor = new CommandLineCodeExecutor({ sandbox: made.sandbox, warm: {}, ...own })
  onTestFinished(async () => {
    await executor.stop()
    await made.sandbox.stop()
  })
  const run = async (code: string, language = 'python') => {
    const { output, status, blocks } = await executor.execute([{ language, code }])
    return { output, status, notices: blocks.flatMap(({ notices }) => notices.map(({ code }) => code)) }
  }
  return { ...made, executor, run }
}

/** A program that stands for Python. */
async function standIn(script: string): Promise<CommandLineExecutorOptions['languages']> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-python-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'python')
  await writeFile(path, `#!/bin/sh\n${script}\nexec ${pythonPath} "$@"\n`)
  await chmod(path, 0o755)
  return [{ id: 'python', kind: 'run', commands: [[path]], extension: 'py', aliases: [], comments: [] }]
}

describe.skipIf(python.missing)('the resident Python of a sandbox', () => {
  it('runs each block as a fork of one Python, also one of another language', { tags: 'all' }, async () => {
    const { run } = warm()
    const first = await run(parent)
    expect(first).toMatchObject({ output: expect.stringMatching(/^True \d+\n$/), notices: [] })
    expect((await run(parent)).output).toBe(first.output)
    expect((await run('echo "True $PPID"', 'sh')).output).toBe(first.output)
  })

  it('is there for the first block with `warm: true`, and is made again after five minutes without a block', async () => {
    const { run } = warm({ warm: true })
    const first = (await run(parent)).output
    expect(first).toMatch(/^True /)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      expect((await run(parent)).output).toBe(first)
      vi.advanceTimersByTime(5 * 60_000)
    } finally {
      vi.useRealTimers()
    }
    const next = (await run(parent)).output
    expect(next).toMatch(/^True /)
    expect(next).not.toBe(first)
  })

  it('ends with its executor', async () => {
    const { run, executor, sandbox } = warm()
    const [, id = ''] = (await run(parent)).output.trim().split(' ')
    await executor.stop()
    const look = await sandbox.spawn(['/bin/sh', '-c', `test -e /proc/${id}`])
    expect(await look.ended).toMatchObject({ exitCode: 1 })
  })

  it('is made again after a block that ended it, which has died, in another sandbox', async () => {
    const { run, launches } = warm()
    await run(parent)
    const seconds = uniqueSeconds()
    const kill = `import os, signal, subprocess; subprocess.Popen(['sleep', '${seconds}'], start_new_session=True); os.kill(os.getppid(), signal.SIGKILL)`
    expect(await run(`${kill}\nwhile True: pass`)).toMatchObject({ status: 'died', notices: ['died'] })
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect((await run(parent)).output).toMatch(/^True \d+\n$/)
    expect(launches).toHaveLength(2)
  })

  it('is made again when it ended between two blocks', { tags: 'all' }, async () => {
    const { run, sandbox } = warm()
    const { spawn } = sandbox
    const started: SandboxProcess[] = []
    sandbox.spawn = async (...given) => {
      const process = await spawn.apply(sandbox, given)
      started.push(process)
      return process
    }
    const before = (await run(parent)).output
    const [server] = started
    if (server === undefined) throw new Error('No resident Python was started.')
    const ended = once(server.stdout, 'end')
    const [, id = ''] = before.trim().split(' ')
    await sandbox.spawn(['/bin/sh', '-c', `kill -9 ${id}`])
    await ended
    const after = await run(parent)
    expect(after).toMatchObject({ status: 'ok', notices: [] })
    expect(after.output).not.toBe(before)
  })

  it('is made again after a block that changed it for good, without a word', { tags: 'all' }, async () => {
    const { run } = warm()
    const before = (await run(parent)).output
    await run('import os; open(f"/proc/{os.getppid()}/coredump_filter", "w").write("0x1")')
    const after = await run(parent)
    expect(after).toMatchObject({ status: 'ok', notices: [] })
    expect(after.output).not.toBe(before)
  })

  it('ends a block at its time limit, although the block has stopped it', async () => {
    const { run, executor, launches } = warm()
    const before = (await run(parent)).output
    const stop = 'import os, signal; os.kill(os.getppid(), signal.SIGSTOP)\nwhile True: pass'
    const stopped = await executor.execute([{ language: 'python', code: stop }], { timeoutMs: 500 })
    expect(stopped.status).toBe('timeout')
    expect((await run(parent)).output).toBe(before)
    expect(launches).toHaveLength(1)
  })

  it('is made again in a sandbox that took the place of another', async () => {
    const { run, launches } = warm()
    await run(parent)
    await launches[0]?.backend.remove()
    expect(await run(parent)).toMatchObject({
      output: expect.stringMatching(/True \d+\n$/),
      notices: ['container-replaced'],
    })
  })

  it('that is lost with its sandbox says so', async () => {
    const { executor, launches } = warm()
    const running = executor.execute([{ language: 'python', code: 'print(1, flush=True)\nwhile True: pass' }])
    for await (const { type } of running) if (type === 'stdout') await launches[0]?.backend.remove()
    const { blocks } = await running
    const notices = [{ code: 'died', data: { state: 'ended' } }]
    expect(blocks).toMatchObject([{ status: 'died', notices }])
  })
})

describe.skipIf(python.missing)('what is preloaded', () => {
  it('is there before the first block', async () => {
    const { run, executor } = warm({ warm: { preload: ['colorsys'] } })
    await executor.start()
    expect((await run('import sys; print("colorsys" in sys.modules)')).output).toBe('True\n')
  })

  it('is an error at the start where it cannot be imported', async () => {
    const { executor } = warm({ warm: { preload: ['no_such_module'] } })
    await expect(executor.start()).rejects.toMatchObject({
      code: 'PRELOAD_FAILED',
      data: { module: 'no_such_module' },
    })
  })

  it('is an error with the last words of a Python that it ended', async () => {
    const languages = await standIn('case "$*" in *fenced_runner*) echo "the end" >&2; exit 1 ;; esac')
    const { executor } = warm({ warm: { preload: ['json'] }, languages })
    await expect(executor.start()).rejects.toMatchObject({
      code: 'PRELOAD_FAILED',
      data: { module: 'json', output: 'the end' },
    })
  })
})

describe.skipIf(python.missing)('without a resident Python', () => {
  it('blocks run all the same where none can be, and that is said once', async () => {
    const languages = await standIn('case "$*" in *fenced_runner*) echo "no forks" >&2; exit 1 ;; esac')
    const { executor, run } = warm({ languages })
    const { blocks } = await executor.execute([{ language: 'python', code: 'print(1)' }])
    const notices = [{ code: 'not-warm', data: { output: 'no forks' } }]
    expect(blocks).toMatchObject([{ status: 'ok', output: '1\n', notices }])
    expect(await run('print(2)')).toEqual({ output: '2\n', status: 'ok', notices: [] })
  })

  it('blocks run all the same where none was asked for, without a word', async () => {
    const languages = await standIn('case "$*" in *fenced_runner*) exit 1 ;; esac')
    const { run } = warm({ warm: true, languages })
    expect(await run('print(1)')).toEqual({ output: '1\n', status: 'ok', notices: [] })
  })

  it('every block has an interpreter of its own with `false`', async () => {
    const { run } = warm({ warm: false })
    for (let block = 0; block < 2; block++) expect((await run(parent)).output).toMatch(/^False /)
  })
})
