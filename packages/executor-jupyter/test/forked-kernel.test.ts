// @module-tag all

import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JupyterExecutorOptions } from '@fenced/executor-jupyter'
import { processesLeft, temporaryEntries, uniqueSeconds } from '@fenced/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startProgram } from './faults/host-program.ts'
import { parentOf, processesWith, stillThere } from './faults/processes.ts'
import { forkedExecutor, inOwnEnvironment } from './forked-executor.ts'
import { cancelledAtOutput, directExecutor, jupyter, longGrace, run } from './support.ts'

/** Starts a process that nobody finds by its group, its environment or its parent. */
const flee = (seconds: number) =>
  `import subprocess; subprocess.Popen(['sleep', '${seconds}'], start_new_session=True, env={})`

/** What a program can ask about the kernel that it is in. */
const state = `
import asyncio, gc, locale, os, resource, signal, sys, threading
variables = dict(os.environ)
# Each run has a mark of its own, and ipykernel's way to end with this process is for its children.
for name in ('FENCED_RUN_ID', 'JPY_PARENT_PID', 'FENCED_TEST'):
    variables.pop(name, None)
for line in (
    sorted(sys.modules), sorted(globals()), sorted(vars(sys)), sys.argv[0], sys.argv[3:], sys.path, sys.flags, sys.getrecursionlimit(),
    sys.meta_path, sys.path_hooks, sorted(variables.items()), os.getcwd() == os.environ.get('PWD', os.getcwd()), os.umask(0o22),
    [(number, signal.getsignal(number)) for number in sorted(signal.valid_signals())], signal.pthread_sigmask(0, []),
    sorted(type(thread).__name__ for thread in threading.enumerate() if 'ParentPoller' not in type(thread).__name__),
    threading.current_thread().native_id == os.getpid(), os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid(),
    [resource.getrlimit(limit) for limit in range(resource.RLIM_NLIMITS)] if hasattr(resource, 'RLIM_NLIMITS') else None,
    locale.getlocale(), sys.stdin, sys.stdout.encoding, sys.__stdout__.encoding, gc.isenabled(), gc.get_threshold(),
    asyncio.get_event_loop_policy().__class__, sys.excepthook.__name__, sys.__excepthook__.__name__,
): print(line)
`

describe.skipIf(jupyter.missing || process.platform !== 'linux')('a kernel of our own that is a fork', () => {
  test('is one of a Python that executors share from the second kernel on', async () => {
    const options = inOwnEnvironment()
    expect((await ancestors(options)).parent).toBe(process.pid)
    const [second, third] = await Promise.all([ancestors(options), ancestors(options)])
    expect(second.parent).not.toBe(third.parent)
    expect(second.grandparent).toBe(third.grandparent)
    expect(parentOf(second.grandparent)).toBe(process.pid)
    expect((await ancestors({ ...options, warm: false })).parent).toBe(process.pid)
  })

  test('has the modules of `preload`, the first kernel too', async () => {
    await using executor = directExecutor({ ...inOwnEnvironment(), warm: { preload: ['mailbox'] } })
    const { output } = await run(executor, 'import sys', "print('mailbox' in sys.modules)")
    expect(output).toBe('True\n')
    const missing = directExecutor({ ...inOwnEnvironment(), warm: { preload: ['no_such_module'] } })
    await expect(missing.start()).rejects.toMatchObject({
      code: 'PRELOAD_FAILED',
      data: { module: 'no_such_module' },
    })
    await missing.stop()
  })

  test('shows a program what it finds in one that was started', async () => {
    const options = inOwnEnvironment()
    await using started = directExecutor({ ...options, warm: false })
    await using forked = await forkedExecutor(options)
    const [expected, found] = await Promise.all([run(started, state), run(forked, state)])
    expect(expected.status).toBe('ok')
    expect(plain(found.output)).toBe(plain(expected.output))
  })

  test('is interrupted with what its cell has started, and keeps its variables', async () => {
    const seconds = uniqueSeconds()
    await using executor = await forkedExecutor({ ...longGrace, ...inOwnEnvironment() })
    const code = [
      'kept = 7',
      flee(seconds),
      'import multiprocessing, time',
      "child = multiprocessing.get_context('fork').Process(target=time.sleep, args=(1000,), daemon=True)",
      'child.start()',
      'print("begun", flush=True)',
      'time.sleep(1000)',
    ]
    expect((await cancelledAtOutput(executor, ...code)).status).toBe('cancelled')
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect((await run(executor, 'child.join()', 'print(kept, child.exitcode)')).output).toMatch(/^7 -?\d+\n$/)
  })

  test.each([
    ['killed', 'SIGKILL'],
    ['stopped', 'SIGSTOP'],
  ] as const)('whose parent is %s ends with all that it has started', async (_, signal) => {
    const seconds = uniqueSeconds()
    await using executor = await forkedExecutor()
    const { output } = await run(executor, flee(seconds), 'import os', 'print(os.getpid(), os.getppid())')
    const [kernel = 0, parent = 0] = output.split(' ').map(Number)
    process.kill(parent, signal)
    if (signal === 'SIGKILL') {
      expect(await stillThere([kernel])).toEqual([])
      const { status, blocks } = await run(executor, 'print(1)')
      expect(status).toBe('died')
      expect(blocks[0]?.notices[0]).toMatchObject({ code: 'died', data: { fault: 'parent-ended' } })
      await executor.restart()
      expect((await run(executor, 'print(1)')).output).toBe('1\n')
    }
    await executor.stop()
    expect(await stillThere([kernel, parent])).toEqual([])
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  test('survives the Python that it was forked by, and leaves nothing', async () => {
    const seconds = uniqueSeconds()
    await using executor = await forkedExecutor()
    const { output } = await run(executor, flee(seconds), 'import os', 'print(os.getpid(), os.getppid())')
    const [kernel = 0, parent = 0] = output.split(' ').map(Number)
    process.kill(parentOf(parent), 'SIGKILL')
    expect((await run(executor, 'print(os.getpid())')).output).toBe(`${kernel}\n`)
    await executor.stop()
    expect(await stillThere([kernel, parent])).toEqual([])
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  test('ends when this process is killed, with all that it has started, and with its folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const host = startProgram('start-and-wait.ts', 'forked', { folder })
    await once(host.child.stdout ?? host.child, 'data')
    const [kernel = 0, parent = 0] = host.written.stdout.trim().split(' ').map(Number)
    expect(readFileSync(`/proc/${parent}/cmdline`, 'utf8')).toContain('--shared')
    // The next process removes what is left: the executor's own directory and that of the file which kernels run.
    const directories = temporaryEntries(folder).filter((name) => !name.endsWith('.owner'))
    expect(directories).toHaveLength(2)
    host.child.kill('SIGKILL')
    expect(await stillThere([kernel, parent])).toEqual([])
    await expect.poll(() => processesWith('environ', folder)).toEqual([])
  })
})

/** The Pythons between a kernel and this process. */
async function ancestors(
  options: JupyterExecutorOptions,
): Promise<{ readonly parent: number; readonly grandparent: number }> {
  await using executor = directExecutor(options)
  const parent = Number((await run(executor, 'import os; print(os.getppid())')).output)
  return { parent, grandparent: parentOf(parent) }
}

/** Without addresses. */
function plain(text: string): string {
  return text.replace(/0x[0-9a-f]+/g, '')
}
