import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodeResult } from '@fenced/core'
import type { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { failure } from './faults/failure.ts'
import { startProgram } from './faults/host-program.ts'
import { stillThere } from './faults/processes.ts'
import { directExecutor, jupyter, python, run } from './support.ts'

describeBothWays((create) => {
  let executor: JupyterCodeExecutor
  beforeAll(async () => {
    executor = create()
    await executor.start()
  })
  afterAll(() => executor.stop())
  afterEach(() => expectUsableAfterRestart(executor))

  test('that ends in the middle of a cell gives `died` at once, with what had been printed', async () => {
    await run(executor, 'kept = 7')
    // What is on its way in the kernel itself ends with it.
    const result = await run(
      executor,
      "print('early', flush=True)",
      'import os, time',
      'time.sleep(0.3)',
      'os._exit(3)',
    )
    expectDead(result)
    expect(result.output).toMatch(/^early\n/)
  })

  test('that is killed while it prints gives `died`', async () => {
    const execution = executor.execute([
      python('import os', 'print(os.getpid(), flush=True)', 'while True:', "    print('x' * 100)"),
    ])
    let id = 0
    for await (const event of execution) {
      if (event.type !== 'stdout' || id !== 0) continue
      id = Number.parseInt(event.text, 10)
      process.kill(id, 'SIGKILL')
    }
    expectDead(await execution)
  })

  test('that is killed while it is idle: the next block is `died`, and runs in no empty kernel', async () => {
    const { output } = await run(executor, 'import os', 'print(os.getpid())')
    process.kill(Number(output), 'SIGKILL')
    const result = await run(executor, "print('ran')")
    expectDead(result)
    expect(result.blocks[0]?.stdout).toBe('')
  })

  test('has the last words of its own cell, not those of an earlier one', async () => {
    const write = (word: string) => `os.write(2, b"${word}\\n")`
    await run(executor, 'import os', write('earlier'))
    const silent = await run(executor, 'os._exit(0)')
    expectDead(silent)
    expect(silent.output).not.toContain('earlier')
    await executor.restart()
    await run(executor, 'import os', write('earlier'))
    // What is on its way in the kernel itself ends with it.
    const result = await run(executor, write('newest'), 'import time; time.sleep(0.3)', 'os._exit(0)')
    expectDead(result)
    expect(result.output).toContain('newest')
    expect(result.output).not.toContain('earlier')
  })

  test('that crashes gives `died`', async () => {
    const result = await run(executor, 'import ctypes', 'ctypes.string_at(0)')
    expectDead(result)
    // What a server's kernels write past their streams goes to the server.
    if (executor.capabilities.isolation === 'none' && create === directExecutor) {
      expect(result.blocks[0]?.notices[0]?.data).toMatchObject({
        signal: 'SIGSEGV',
        output: expect.stringContaining('Fatal Python error: Segmentation fault'),
      })
    }
  })
})

describe.skipIf(jupyter.missing)('a kernel of our own', { tags: 'all' }, () => {
  test('of a Python without ipykernel is one error with the one command that installs it there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    execFileSync('python3', ['-m', 'venv', '--without-pip', join(folder, 'bare')])
    await using executor = directExecutor({ python: join(folder, 'bare') })
    const error = await failure(executor.start())
    const bare = join(folder, 'bare/bin/python')
    expect(error).toMatchObject({
      code: 'KERNEL_NOT_INSTALLED',
      data: { python: bare, command: `"${bare}" -m pip install ipykernel` },
    })
  })

  test('that ends before it is ready is an error with its last words', async () => {
    await using executor = directExecutor({ env: { PYTHONHOME: '/nowhere' } })
    const error = await failure(executor.start())
    expect(error).toMatchObject({
      code: 'KERNEL_START_FAILED',
      data: { exitCode: '1', output: expect.stringContaining('encodings') },
    })
  })

  test('of a Python that does not exist is an error that names it', async () => {
    await using executor = directExecutor({ python: '/no/such/python' })
    const error = await failure(executor.start())
    expect(error).toMatchObject({ code: 'PYTHON_NOT_FOUND', data: { program: '/no/such/python' } })
  })

  test('ends within seconds when this process is killed', async () => {
    const host = startProgram('start-and-wait.ts', 'direct')
    await once(host.child.stdout ?? host.child, 'data')
    const [id = 0] = host.written.stdout.trim().split(' ').map(Number)
    expect(id).toBeGreaterThan(0)
    host.child.kill('SIGKILL')
    expect(await stillThere([id])).toEqual([])
  })
})

function expectDead(result: CodeResult): void {
  expect(result).toMatchObject({ status: 'died', exitCode: 255 })
  const notices = result.blocks.flatMap((block) => block.notices)
  expect(notices.map(({ code }) => code)).toEqual(['died'])
}

async function expectUsableAfterRestart(executor: JupyterCodeExecutor): Promise<void> {
  expect(await failure(run(executor, 'print(1)'))).toMatchObject({ code: 'EXECUTOR_DIED' })
  await executor.restart()
  expect(await run(executor, "print('kept' in globals())")).toMatchObject({ status: 'ok', output: 'False\n' })
}
