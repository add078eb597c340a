// @module-tag all

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { processesLeft, rowTags, uniqueSeconds } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { bubblewrap, isolatedExecutor } from './bubblewrap.ts'
import { cancelledAtOutput, directExecutor, jupyter, longGrace, python, run, savesWork } from './support.ts'

/** Swallows Ctrl-C. */
const stubborn = [
  'import time',
  'while True:',
  '    try:',
  "        print('begun', flush=True)",
  '        time.sleep(100)',
  '    except KeyboardInterrupt: pass',
]

/** Leaves a child that no program waits for, one that ignores SIGTERM, an open file, and an exit function. */
const leavesChildren = (seconds: number) => [
  'import atexit, subprocess',
  "zombie = subprocess.Popen(['true'])",
  `command = "trap '' TERM; echo ready; exec sleep ${seconds}"`,
  "stubborn = subprocess.Popen(['sh', '-c', command], stdout=subprocess.PIPE)",
  '_ = stubborn.stdout.readline()',
  "kept = open('kept.txt', 'w')",
  "_ = kept.write('data')",
  "_ = atexit.register(lambda: open('ended.txt', 'w').write('end'))",
]
const readsFiles = "print(open('kept.txt').read(), open('ended.txt').read())"

describeBothWays(
  (create) => {
    let executor: JupyterCodeExecutor
    beforeAll(async () => {
      // Three quarters of it pass where a cell waits again when it is cancelled.
      executor = create({ interruptGraceMs: 8_000 })
      await executor.start()
    })
    afterAll(() => executor.stop())

    const noticesOf = (result: Awaited<ReturnType<typeof run>>) =>
      result.blocks.flatMap(({ notices }) => notices.map(({ code }) => code))

    test('a time limit interrupts the cell, and variables are kept', async () => {
      await run(executor, 'kept = 7')
      const result = await executor.execute([python("print('early')", 'import time', 'time.sleep(1000)')], {
        timeoutMs: 5_000,
      })
      expect(result).toMatchObject({ status: 'timeout', exitCode: 124 })
      expect(result.output).toMatch(/^early\n/)
      expect(noticesOf(result)).toEqual(['state-kept', 'timeout'])
      expect((await run(executor, 'print(kept)')).output).toBe('7\n')
    })

    test.each([
      ['waits in await', ['import asyncio', 'print("begun", flush=True)', 'await asyncio.sleep(1000)']],
      [
        'waits between two awaits',
        ['import asyncio, time', 'await asyncio.sleep(0)', 'print("begun", flush=True)', 'time.sleep(1000)'],
      ],
      [
        'waits for its tasks, and again where it is cancelled',
        [
          'import asyncio',
          'try:',
          '    print("begun", flush=True)',
          '    await asyncio.gather(*(asyncio.sleep(1000) for _ in range(3)))',
          'except asyncio.CancelledError:',
          '    await asyncio.Event().wait()',
        ],
      ],
    ])('a cell that %s is interrupted, and variables are kept', async (_, lines) => {
      await run(executor, 'kept = 11')
      const result = await cancelledAtOutput(executor, ...lines)
      expect(result).toMatchObject({ status: 'cancelled', exitCode: 125 })
      expect(noticesOf(result)).toEqual(['state-kept', 'cancelled'])
      expect((await run(executor, 'await asyncio.sleep(0)', 'print(kept)')).output).toBe('11\n')
    })

    test('a cell that is interrupted can save its work', async () => {
      const result = await cancelledAtOutput(executor, ...savesWork)
      expect(noticesOf(result)).toEqual(['state-kept', 'cancelled'])
      expect((await run(executor, 'print(*saved)')).output).toBe('begun done\n')
    })

    test('a cell that prints without end ends', async () => {
      const result = await executor.execute([python('while True: print("x" * 100)')], { timeoutMs: 1_000 })
      expect(result.status).toBe('timeout')
      expect((await run(executor, 'print(8)')).output).toBe('8\n')
    })

    test('a cell that prints now and then ends as well', async () => {
      const chatty = python(
        'import time',
        'while True:',
        "    print('still here', flush=True)",
        '    time.sleep(0.05)',
      )
      expect((await executor.execute([chatty], { timeoutMs: 1_000 })).status).toBe('timeout')
    })

    test('a cell that does not want to end takes its kernel along, and that is said', async () => {
      await using used = create({ interruptGraceMs: 300 })
      await run(used, 'lost = 7')
      const result = await cancelledAtOutput(used, ...stubborn)
      expect(result).toMatchObject({ status: 'cancelled', exitCode: 125 })
      expect(noticesOf(result)).toEqual(['state-lost', 'cancelled'])
      expect(result.blocks[0]?.notices[0]?.data).toEqual({ limitMs: '300', option: 'interruptGraceMs' })
      expect((await run(used, "print('lost' in globals())")).output).toBe('False\n')
    })

    test('cancelling interrupts likewise', async () => {
      await run(executor, 'kept = 9')
      const lines = ['print("begun", flush=True)', 'import time', 'time.sleep(1000)']
      const result = await cancelledAtOutput(executor, ...lines)
      expect(result).toMatchObject({ status: 'cancelled', exitCode: 125 })
      expect(noticesOf(result)).toEqual(['state-kept', 'cancelled'])
      expect((await run(executor, 'print(kept)')).output).toBe('9\n')
    })

    test('a shell line that runs ends with its cell', async () => {
      const seconds = uniqueSeconds()
      const result = await executor.execute([python(`!sleep ${seconds}`)], { timeoutMs: 1_000 })
      expect(result.status).toBe('timeout')
      expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
    })

    test('output beyond the limit ends the cell where that is wanted', async () => {
      await using used = create({ ...longGrace, maxOutputBytes: 1_000, onOutputLimit: 'kill' })
      const result = await run(used, 'while True: print("x" * 100)')
      expect(result).toMatchObject({ status: 'output-limit', exitCode: 137 })
      expect(noticesOf(result)).toEqual(['state-kept', 'output-limit'])
      expect((await run(used, 'print(1)')).output).toBe('1\n')
    })

    test('what a cell leaves in the background lives on until restart()', async () => {
      const seconds = uniqueSeconds()
      await run(executor, 'import subprocess', `_ = subprocess.Popen(['sleep', '${seconds}'])`)
      expect((await run(executor, '_.poll() is None')).output).toBe('True\n')
      await executor.restart()
      expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
    })

    test('what a cell leaves in the background loses no exit function and no open file', async () => {
      await using used = create()
      const seconds = uniqueSeconds()
      await run(used, ...leavesChildren(seconds))
      await used.restart()
      // An executor waits for 4 s until the server has ended the kernel before.
      await expect.poll(async () => (await run(used, readsFiles)).output).toBe('data end\n')
      await expect.poll(() => processesLeft(`sleep ${seconds}`)).toEqual([])
    })
  },
  {
    isolated: true,
    rows: rowTags({
      nightly: [
        {
          in: 'in bubblewrap',
          except: ['a time limit', 'a cell that does not want to end', 'what a cell leaves'],
        },
        'of a server',
      ],
    }),
  },
)

describe.skipIf(jupyter.missing)('stop()', () => {
  /** A kernel whose Python leaves a file when it ends in order. */
  function leavesFile() {
    const folder = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'ended')
    const atexit = `import atexit; atexit.register(lambda: open(${JSON.stringify(file)}, 'w').close())`
    writeFileSync(join(folder, 'sitecustomize.py'), atexit)
    return { file, executor: directExecutor({ env: { PYTHONPATH: folder } }) }
  }

  test('lets a kernel end in order in which a program ran: what is registered with atexit runs', async () => {
    const { file, executor } = leavesFile()
    await run(executor, 'pass')
    await executor.stop()
    expect(existsSync(file)).toBe(true)
  })

  test('lets it end in order although a pool of processes is left after the second in which children are ended', async () => {
    const { file, executor } = leavesFile()
    await run(
      executor,
      'import atexit, multiprocessing, time',
      "pool = multiprocessing.get_context('fork').Pool(2)",
      '_ = atexit.register(time.sleep, 1.5)',
    )
    await executor.stop()
    expect(existsSync(file)).toBe(true)
  })

  test('lets it end in order although what publishes its output ends first', async () => {
    const { file, executor } = leavesFile()
    await run(
      executor,
      'import sys, threading',
      'class Ended:',
      '    thread = threading.main_thread()',
      '    def schedule(self, _): pass',
      'handlers = get_ipython().kernel.control_handlers',
      "shut_down = handlers['shutdown_request']",
      'async def shut_down_late(*message):',
      '    await shut_down(*message)',
      '    sys.stdout.pub_thread = Ended()',
      "handlers['shutdown_request'] = shut_down_late",
    )
    await executor.stop()
    expect(existsSync(file)).toBe(true)
  })

  test('lets it end in order although what publishes that it is idle has just ended', async () => {
    const { file, executor } = leavesFile()
    await run(
      executor,
      'import threading',
      'kernel = get_ipython().kernel',
      'publish = kernel._publish_status_and_flush',
      'def publish_late(*status):',
      '    publisher = kernel.iopub_thread',
      '    schedule, sender = publisher.schedule, threading.get_ident()',
      '    def wait_or_schedule(send):',
      '        # As a send does to a thread that ends between the check and the send. Others see that it has ended.',
      '        return threading.Event().wait() if threading.get_ident() == sender else schedule(send)',
      '    if kernel._shutdown_message:',
      '        publisher.schedule = wait_or_schedule',
      '    publish(*status)',
      '    publisher.schedule = schedule',
      'kernel._publish_status_and_flush = publish_late',
    )
    await executor.stop()
    expect(existsSync(file)).toBe(true)
  })

  test('does not wait for a kernel in which nothing ran, and neither does restart()', async () => {
    const { file, executor } = leavesFile()
    await executor.start()
    await executor.restart()
    await executor.stop()
    expect(existsSync(file)).toBe(false)
  })
})

const isIsolatedMissing = jupyter.missing || bubblewrap.missing
describe.skipIf(isIsolatedMissing)('a kernel that takes its time to interrupt itself', () => {
  test('interrupts no later cell', async () => {
    await using executor = isolatedExecutor(longGrace)
    await run(
      executor,
      'import asyncio, time',
      'handlers = get_ipython().kernel.control_handlers',
      "interrupt = handlers['interrupt_request']",
      'async def interrupt_late(*message):',
      '    await asyncio.sleep(0.5)',
      '    await interrupt(*message)',
      "handlers['interrupt_request'] = interrupt_late",
    )
    const { status } = await executor.execute([python('time.sleep(1000)')], { timeoutMs: 300 })
    expect(status).toBe('timeout')
    expect((await run(executor, 'time.sleep(1)', "print('whole')")).output).toBe('whole\n')
  })
})
