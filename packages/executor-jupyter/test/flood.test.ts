// @module-tag all

import { rowTags } from '@fenced/testing'
import { describe, expect, test } from 'vitest'
// @boundaries-ignore Which level runs; no package exports it.
import { currentLevel } from '../../../testing/levels.ts'
import { describeBothWays } from './both-ways.ts'
import { startProgram } from './faults/host-program.ts'
import { directExecutor, jupyter, run } from './support.ts'

const mebibyte = 2 ** 20

/** What V8 counts: its heap and the memory of buffers, garbage included. */
const mostHeld = 32 * mebibyte
/** Of this process, with what the system's allocator keeps for later. */
const mostGrowth = 32 * mebibyte
/** The same where results are shown: 64 MiB of them are kept, and one of 20 MB is there a few times while it is read. */
const mostWithResults = 256 * mebibyte
/** V8 gives more room to the young objects of any busy program, up to 128 MiB; here they have little. */
const littleRoom = ['--max-semi-space-size=4']

/** In milliseconds. */
const floodMs = 800

const floods = [
  { reading: 'read', line: "sys.stdout.write('x' * 100_000)" },
  { reading: 'read slowly', line: "sys.stdout.write('x' * 100_000)" },
  { reading: 'awaited', line: "sys.stdout.write('x' * 100_000)" },
  { reading: 'awaited', line: "print('x' * 50_000_000)" },
  { reading: 'awaited', line: "print('y')" },
  { reading: 'awaited', line: "sys.stderr.write('ä' * 50_000)" },
  { reading: 'read', line: "__import__('subprocess').run(['yes'])" },
] as const

const shown = [
  { reading: 'awaited', line: "display({'image/png': 'x' * 20_000_000}, raw=True)" },
  {
    reading: 'awaited',
    line: "display({'image/png': 'x' * 20_000_000}, raw=True); __import__('IPython').display.clear_output()",
  },
  { reading: 'awaited', line: "display({'x/y' + 'x' * 8_000_000: ''}, raw=True)" },
  { reading: 'read', line: "display({'text/plain': 'x' * 1_000}, raw=True)" },
] as const

const all = [...floods, ...shown]

/** A server passes on the same messages: one of each kind shows that, and all of them come in the nightly run. */
const ofEachKind = all.filter((_, index) => [1, 3, 4, 7, 10].includes(index))

const rows = rowTags({ nightly: ['server'] })

describe.skipIf(jupyter.missing)('a kernel that writes faster than it is read', { timeout: 180_000 }, () => {
  test.for(['direct', 'server'] as const)('%s: keeps its state and our memory', rows, async (way) => {
    const given = way === 'direct' || currentLevel === 'nightly' ? all : ofEachKind
    const { written, exited } = startProgram('flood.ts', way, {
      flags: littleRoom,
      more: [`${floodMs}`, JSON.stringify(given)],
    })
    await exited
    expect(written.stderr).toBe('')
    const results = JSON.parse(written.stdout)
    for (const [index, flood] of given.entries()) {
      const result = results[index]
      const which = `${flood.reading}: ${flood.line}`
      expect.soft(result, which).toMatchObject({ status: 'timeout', output: '7\n' })
      expect.soft(result.notices, which).toContain('state-kept')
      const isText = all.indexOf(flood) < floods.length
      if (isText) expect.soft(result.notices, which).toEqual(['state-kept', 'timeout'])
      if (isText) expect.soft(result.heldBytes, which).toBeLessThan(mostHeld)
      expect.soft(result.grownBytes, which).toBeLessThan(isText ? mostGrowth : mostWithResults)
    }
  })
})

describeBothWays(
  (create) => {
    test('output that is paced is whole and in order, also for a slow reader', async () => {
      await using executor = create({ maxOutputBytes: 1_000 })
      const execution = executor.execute([
        {
          language: 'python',
          code: "import sys\nfor n in range(24):\n    print(str(n) + ' ' + 'x' * 999_997)\nprint('end', file=sys.stderr)",
        },
      ])
      let length = 0
      let text = ''
      for await (const event of execution) {
        if (event.type !== 'stdout') continue
        length += event.text.length
        text += event.text.replace(/x+/g, '')
      }
      const { status, blocks } = await execution
      expect(status).toBe('ok')
      expect(blocks[0]?.notices).toEqual([])
      expect(text.split('\n').map(Number)).toEqual([...Array.from({ length: 24 }, (_, n) => n), 0])
      expect(blocks[0]?.droppedBytes.stdout).toBe(length - 1_000)
    })

    test('a forked child and a thread write as well', async () => {
      await using executor = create({ maxOutputBytes: 1_000 })
      const { status, blocks } = await run(
        executor,
        'import os, threading',
        "thread = threading.Thread(target=lambda: print('y' * 9_000_000))",
        'thread.start()',
        'thread.join()',
        "if os.fork() == 0: print('x' * 9_000_000, flush=True); os._exit(0)",
        '_ = os.wait()',
      )
      expect(status).toBe('ok')
      expect(blocks[0]?.droppedBytes.stdout).toBeGreaterThan(17_000_000)
    })
  },
  { isolated: true, rows: rowTags({ nightly: ['in bubblewrap', 'of a server'] }) },
)

describe.skipIf(jupyter.missing)('a kernel that is not paced', { timeout: 120_000 }, () => {
  test('loses output of its middle, which is counted, and never its end', async () => {
    await using executor = directExecutor()
    await executor.start()
    const execution = executor.execute([
      {
        language: 'python',
        code: [
          'kernel = get_ipython().kernel',
          'for n in range(100):',
          "    content = {'name': 'stdout', 'text': str(n) + 'x' * 1_000_000}",
          "    type(kernel.session).send(kernel.session, kernel.iopub_socket, 'stream', content, parent=kernel.get_parent())",
          "print('the end')",
        ].join('\n'),
      },
    ])
    let hasWaited = false
    for await (const event of execution) {
      if (event.type !== 'stdout' || hasWaited) continue
      hasWaited = true
      await new Promise((resolve) => setTimeout(resolve, 3_000))
    }
    const { status, output, blocks } = await execution
    expect(status).toBe('ok')
    expect(output).toMatch(/x\n?the end\n$/)
    expect(blocks[0]?.notices.map(({ code }) => code)).toContain('output-dropped')
    expect(blocks[0]?.notices.at(-1)).toMatchObject({
      code: 'output-dropped',
      data: { bytes: expect.stringMatching(/^\d{8,}$/) },
    })
  })
})
