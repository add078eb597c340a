// @module-tag nightly

import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { directExecutor, jupyter, jupyterPython, run } from './support.ts'

const mebibyte = 2 ** 20

/** Of what is kept of a block's output, in bytes. */
const limit = 100_000

describeBothWays((create) => {
  let executor: JupyterCodeExecutor
  beforeAll(async () => {
    executor = create({ timeoutMs: 150_000, maxOutputBytes: limit })
    await executor.start()
  })
  afterAll(() => executor.stop())

  test('20 MB of output in one cell are cut and counted, in bounded memory', async () => {
    const before = process.memoryUsage().rss
    const result = await run(executor, 'for _ in range(20):', "    print('x' * 999_999)")
    expect(result).toMatchObject({ status: 'ok', exitCode: 0 })
    const [block] = result.blocks
    expect(block?.stdout.length).toBeLessThan(limit * 1.1)
    expect(Buffer.byteLength(block?.stdout ?? '')).toBeGreaterThan(limit * 0.9)
    expect(block?.droppedBytes.stdout).toBeGreaterThan(20_000_000 - limit - 1_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(160 * mebibyte)
  })

  test('1,000 tiny prints come in their order', async () => {
    const { status, blocks } = await run(
      executor,
      'for number in range(1_000):',
      '    print(number, flush=True)',
    )
    expect(status).toBe('ok')
    expect(blocks[0]?.stdout).toBe(Array.from({ length: 1_000 }, (_, number) => `${number}\n`).join(''))
  })

  test('very many short lines end, with their first and their last', { timeout: 180_000 }, async () => {
    const { status, blocks } = await run(executor, 'for number in range(40_000):', '    print(number)')
    expect(status).toBe('ok')
    expect(blocks[0]?.stdout).toMatch(/^0\n1\n2\n/)
    expect(blocks[0]?.stdout).toMatch(/\n39998\n39999\n$/)
    expect(blocks[0]?.droppedBytes.stdout).toBeGreaterThan(120_000)
  })

  test('what a subprocess wrote is there, however late the kernel comes to read it', async () => {
    const { output } = await run(
      executor,
      'import subprocess, sys, threading, time',
      'write = sys.stdout.write',
      'def late(text):',
      '    if threading.current_thread() is sys.stdout.watch_fd_thread: time.sleep(0.2)',
      '    return write(text)',
      'sys.stdout.write = late',
      '_ = subprocess.run(["echo", "heard"])',
    )
    expect(output).toBe('heard\n')
  })
})

describe.skipIf(jupyter.missing)('many kernels at once', { timeout: 240_000 }, () => {
  const server = new LocalJupyterServer({ python: jupyterPython })
  afterAll(() => server.stop())

  test('5 on one server do not hear or see each other', async () => {
    await expectApart(
      5,
      () => new JupyterCodeExecutor({ server, startTimeoutMs: 200_000, timeoutMs: 200_000 }),
    )
  })

  test('3 of our own do not hear or see each other', async () => {
    await expectApart(3, () => directExecutor({ startTimeoutMs: 200_000, timeoutMs: 200_000 }))
  })
})

async function expectApart(count: number, create: () => JupyterCodeExecutor): Promise<void> {
  const outputs = await Promise.all(
    Array.from({ length: count }, async (_, number) => {
      await using executor = create()
      await run(executor, `mine = ${number}`, `open('mine.txt', 'w').write('${number}')`)
      const { output } = await run(executor, "print(mine, open('mine.txt').read())")
      return output
    }),
  )
  expect(outputs).toEqual(outputs.map((_, number) => `${number} ${number}\n`))
}
