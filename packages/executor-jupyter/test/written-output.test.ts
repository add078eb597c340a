import type { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { directExecutor, jupyter, run } from './support.ts'

/** As ipykernel has it, instead of ours. */
const plain = "import sys; ours = [vars(stream).pop('write', None) for stream in (sys.stdout, sys.stderr)]"
const paced = 'sys.stdout.write, sys.stderr.write = ours'

const programs: ReadonlyArray<readonly [string, ...string[]]> = [
  ['both streams', 'for i in range(50): print(i); print(-i, file=sys.stderr)'],
  [
    'both streams, flushed',
    'for i in range(20): print(i, flush=True); print(-i, file=sys.stderr, flush=True)',
  ],
  ['what is no text', 'try: sys.stdout.write(b"bytes")', 'except TypeError as error: print(error)'],
  ['a text of a class of its own', 'class T(str): pass', 'print(sys.stdout.write(T("text")))'],
  ['an empty text', 'print(sys.stdout.write(""), sys.stdout.write("é\\n"))'],
  ['lines', 'sys.stdout.writelines(str(i) for i in range(10))'],
  [
    'threads of a cell',
    'import threading',
    'all = [threading.Thread(target=lambda n=n: [print(n) for _ in range(500)]) for n in range(4)]',
    'for each in all: each.start(); each.join()',
  ],
  [
    'forks',
    'import os',
    'print("before", flush=True)',
    'for n in range(3):',
    '    if os.fork() == 0: print("child", n); sys.stdout.flush(); os._exit(0)',
    '    os.wait()',
    'print("after")',
  ],
  [
    'tasks',
    'import asyncio',
    'async def say(n):',
    '    for _ in range(5): print(n); await asyncio.sleep(0)',
    'await asyncio.gather(*map(say, range(3)))',
  ],
]

describe.skipIf(jupyter.missing)('what a cell writes', () => {
  let executor: JupyterCodeExecutor
  beforeAll(async () => {
    executor = directExecutor()
    await executor.start()
  })
  afterAll(() => executor.stop())

  test.for(programs)('%s: comes as ipykernel itself would write it', async ([, ...lines]) => {
    const [ours, theirs] = [await run(executor, 'import sys', ...lines), await runPlain(lines)]
    for (const stream of ['stdout', 'stderr'] as const) {
      expect(ours.blocks[0]?.[stream]).toBe(theirs.blocks[0]?.[stream])
    }
    expect(ours.exitCode).toBe(theirs.exitCode)
  })

  test('what a thread writes after its cell is not output of the next one', async () => {
    const code = [
      'import threading, time',
      'go = threading.Event()',
      'def late():',
      '    go.wait(); print("late", flush=True)',
      'thread = threading.Thread(target=late); thread.start(); print("first")',
    ]
    const next = ['print("second")', 'go.set(); thread.join()', 'print("third")']
    const ours = [await run(executor, ...code), await run(executor, ...next)]
    const theirs = [await runPlain(code), await runPlain(next)]
    expect(ours.map(({ output }) => output)).toEqual(theirs.map(({ output }) => output))
    expect(ours[0]?.output).toBe('first\n')
  })

  async function runPlain(lines: readonly string[]) {
    await run(executor, plain)
    const result = await run(executor, 'import sys', ...lines)
    await run(executor, paced)
    return result
  }
})
