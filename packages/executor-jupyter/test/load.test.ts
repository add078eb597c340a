import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
import { afterAll, describe, expect, test } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { directExecutor, jupyter, jupyterPython, run } from './support.ts'

const mebibyte = 2 ** 20

describeBothWays((create) => {
  test('50 MB of output in one cell are cut and counted, in bounded memory', async () => {
    await using executor = create({ maxOutputBytes: mebibyte })
    await executor.start()
    const before = process.memoryUsage().rss
    const result = await run(executor, 'for _ in range(50):', "    print('x' * 999_999)")
    expect(result).toMatchObject({ status: 'ok', exitCode: 0 })
    const [block] = result.blocks
    expect(block?.stdout.length).toBeLessThan(mebibyte * 1.1)
    expect(Buffer.byteLength(block?.stdout ?? '')).toBeGreaterThan(mebibyte * 0.9)
    expect(block?.droppedBytes.stdout).toBeGreaterThan(50_000_000 - mebibyte - 1_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * mebibyte)
  })

  test('10,000 tiny prints come in their order', async () => {
    await using executor = create()
    const { status, blocks } = await run(
      executor,
      'for number in range(10_000):',
      '    print(number, flush=True)',
    )
    expect(status).toBe('ok')
    expect(blocks[0]?.stdout).toBe(Array.from({ length: 10_000 }, (_, number) => `${number}\n`).join(''))
  })

  test('what a subprocess wrote is there, however late the kernel comes to read it', async () => {
    await using executor = create()
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

  test('very many short lines end, with their first and their last', { timeout: 180_000 }, async () => {
    await using executor = create({ timeoutMs: 150_000, maxOutputBytes: 100_000 })
    const { status, blocks } = await run(executor, 'for number in range(200_000):', '    print(number)')
    expect(status).toBe('ok')
    expect(blocks[0]?.stdout).toMatch(/^0\n1\n2\n/)
    expect(blocks[0]?.stdout).toMatch(/\n199998\n199999\n$/)
    expect(blocks[0]?.droppedBytes.stdout).toBeGreaterThan(1_100_000)
  })
})

describe.skipIf(jupyter.missing)('many kernels at once', { timeout: 240_000 }, () => {
  const server = new LocalJupyterServer({ python: jupyterPython })
  afterAll(() => server.stop())

  test('8 on one server do not hear or see each other', async () => {
    await expectApart(
      8,
      () => new JupyterCodeExecutor({ server, startTimeoutMs: 200_000, timeoutMs: 200_000 }),
    )
  })

  test('4 of our own do not hear or see each other', async () => {
    await expectApart(4, () => directExecutor({ startTimeoutMs: 200_000, timeoutMs: 200_000 }))
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
