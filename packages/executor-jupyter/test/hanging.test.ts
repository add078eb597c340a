// @module-tag all

import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, onTestFinished, type TestContext, test, vi } from 'vitest'
import { failure } from './faults/failure.ts'
import { cancelledAtOutput, directExecutor, jupyter, jupyterPython, python, run } from './support.ts'

/** Less than what a server or a kernel is waited for without a limit of ours, and much more than ours. */
const hang = 30_000

async function durationOf(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work.catch(() => {})
  return performance.now() - startedAt
}

describe.skipIf(jupyter.missing)('a server that is frozen', { tags: 'nightly', timeout: 120_000 }, () => {
  async function frozen({ onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
    const server = new LocalJupyterServer({ python: jupyterPython })
    const executor = new JupyterCodeExecutor({ server, interruptGraceMs: 500 })
    const serverId = Number((await run(executor, 'import os', 'print(os.getppid())')).output)
    const thaw = () => process.kill(serverId, 'SIGCONT')
    onTestFinished(async () => {
      try {
        thaw()
      } catch {
        // It has ended.
      }
      await executor.stop()
      await server.stop()
    })
    return { server, executor, freeze: () => process.kill(serverId, 'SIGSTOP') }
  }

  test.concurrent('does not hold up stop()', async (context) => {
    const { server, executor, freeze } = await frozen(context)
    freeze()
    expect(await durationOf(executor.stop())).toBeLessThan(hang)
    expect(await durationOf(server.stop())).toBeLessThan(hang)
  })

  test.concurrent('does not hold up a block that is cancelled while a new kernel is due', async (context) => {
    const { executor, freeze } = await frozen(context)
    const endless = [
      'import time',
      'while True:',
      '  try:',
      '    print("begun", flush=True)',
      '    time.sleep(9)',
      '  except BaseException: pass',
    ]
    const lost = await cancelledAtOutput(executor, ...endless)
    expect(lost.blocks[0]?.notices.map(({ code }) => code)).toContain('state-lost')
    freeze()
    const controller = new AbortController()
    const execution = executor.execute([python('print(1)')], { signal: controller.signal })
    await sleep(300)
    controller.abort()
    const startedAt = performance.now()
    expect(await execution).toMatchObject({ status: 'cancelled' })
    expect(performance.now() - startedAt).toBeLessThan(hang)
  })
})

describe.skipIf(jupyter.missing)('a kernel whose set-up', () => {
  const folder = () => {
    const path = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    return path
  }

  test('hangs is not ready in time, and leaves no kernel', { timeout: 90_000 }, async () => {
    const path = folder()
    writeFileSync(
      join(path, 'sitecustomize.py'),
      'import warnings, time\nwarnings.filterwarnings = lambda *a, **k: time.sleep(1000) if "To exit" in str(k) else None',
    )
    await using executor = directExecutor({ env: { PYTHONPATH: path }, startTimeoutMs: 3_000 })
    expect(await failure(executor.start())).toMatchObject({ code: 'KERNEL_START_TIMEOUT' })
  })

  test('ends it is a start that failed', async () => {
    const path = folder()
    writeFileSync(
      join(path, 'sitecustomize.py'),
      'import warnings, os\nwarnings.filterwarnings = lambda *a, **k: os._exit(9) if "To exit" in str(k) else None',
    )
    await using executor = directExecutor({ env: { PYTHONPATH: path } })
    const error = await failure(executor.start())
    expect(error).toMatchObject({ code: 'KERNEL_START_FAILED', data: { exitCode: '9' } })
  })
})

describe.skipIf(jupyter.missing)('a Python that does not say which kernels it has', () => {
  test('does not hold up a start that is cancelled, and ends', async () => {
    const seconds = uniqueSeconds()
    const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const asked = join(folder, 'asked')
    const slow = [
      'import os, sys',
      "if 'jupyter_client.kernelspecapp' in sys.orig_argv:",
      `    open(${JSON.stringify(asked)}, 'w').close()`,
      `    os.execvp('sleep', ['sleep', '${seconds}'])`,
    ]
    writeFileSync(join(folder, 'slow.py'), slow.join('\n'))
    // Only its packages can slow it down: it gets no PYTHONPATH of this process.
    const venv = join(folder, 'venv')
    execFileSync(join(jupyterPython, 'bin/python'), ['-m', 'venv', '--without-pip', venv])
    const [packages = ''] = globSync(join(venv, 'lib/python*/site-packages'))
    writeFileSync(join(packages, 'slow.pth'), `${folder}\nimport slow\n`)
    const executor = directExecutor({ python: venv, kernelName: 'bash', language: 'bash' })
    const controller = new AbortController()
    const started = executor.start({ signal: controller.signal })
    await vi.waitUntil(() => existsSync(asked), 120_000)
    controller.abort(new Error('no more'))
    await expect(started).rejects.toThrow('no more')
    expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
  })
})

describe.skipIf(jupyter.missing)('a directory for temporary files', () => {
  test.for([
    ['does not exist', '/no/such/directory', expect.stringContaining('ENOENT')],
    ['has too long a name', `/tmp/${'x'.repeat(100)}`, undefined],
  ] as const)('that %s is an error that names it', async ([, path, reason]) => {
    const before = process.env.TMPDIR
    const workDir = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    if (path.startsWith('/tmp')) mkdirSync(path, { recursive: true })
    onTestFinished(() => {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
      rmSync(workDir, { recursive: true, force: true })
      if (path.startsWith('/tmp')) rmSync(path, { recursive: true, force: true })
    })
    process.env.TMPDIR = path
    const executor = directExecutor({ workDir })
    const error = await failure(executor.start())
    expect(error).toMatchObject({ code: 'TEMP_DIR_UNUSABLE', data: { path } })
    expect(error.data?.reason).toEqual(reason)
  })
})
