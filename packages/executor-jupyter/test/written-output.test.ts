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
    expect((await run(executor, ...code)).output).toBe('first\n')
    const next = await run(executor, 'print("second")', 'go.set(); thread.join()', 'print("third")')
    const cell = expect.stringMatching(/^\d+$/)
    const late = { code: 'late-output', data: { cell, bytes: '5', output: 'late\n' } }
    expect(next.blocks[0]).toMatchObject({ stdout: 'second\nthird\n', notices: [late] })
  })

  test('what a program writes after its cell is not output of the next one', async () => {
    const starts = [
      'import subprocess',
      'command = "read _; echo late; echo error >&2"',
      'program = subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE)',
    ]
    const prints = (text: string) => `done = subprocess.run(["echo", "${text}"])`
    expect((await run(executor, ...starts, prints('first'))).output).toBe('first\n')
    const ends = ['program.stdin.write(b"\\n"); program.stdin.close(); code = program.wait()']
    const next = await run(executor, ...ends, prints('second'))
    const [block] = next.blocks
    expect(block).toMatchObject({ stdout: 'second\n', stderr: '' })
    // The reader of earlier pipes can be behind.
    const notices = [...(block?.notices ?? [])]
    const late = () => notices.map(({ data }) => data?.output).join('')
    while (late().length < 'late\nerror\n'.length)
      notices.push(...(await run(executor, 'pass')).blocks.flatMap((empty) => empty.notices))
    expect([late().split('\n').sort(), new Set(notices.map(({ code }) => code))]).toEqual([
      ['', 'error', 'late'],
      new Set(['late-output']),
    ])
  })

  test('a program that an earlier cell left, and that writes without end, delays neither cells nor `stop()`', async () => {
    await using executor = directExecutor()
    const yes = ['import subprocess', 'program = subprocess.Popen(["yes"])']
    expect(await run(executor, ...yes)).toMatchObject({ status: 'ok' })
    for (const line of ['second', 'third'])
      expect((await run(executor, `print("${line}")`)).blocks[0]).toMatchObject({ stdout: `${line}\n` })
    expect((await run(executor, 'program.kill(); print(program.wait())')).output).toBe('-9\n')
  })

  test('programs of 60 earlier cells have their own output, and those of further cells write into the next cell', async () => {
    await using executor = directExecutor()
    await run(executor, 'import subprocess', 'programs = []')
    const starts = [
      'command = ["sh", "-c", f"read _; echo {len(programs)}; read _"]',
      'programs.append(subprocess.Popen(command, stdin=subprocess.PIPE))',
    ]
    for (let count = 0; count < 70; count++) await run(executor, ...starts)
    const ends = (number: number) => run(executor, `_ = programs[${number}].communicate(b"\\n\\n")`)
    expect(await ends(69)).toMatchObject({ output: '69\n', blocks: [{ notices: [] }] })
    expect(await ends(59)).toMatchObject({ output: '' })
    await run(executor, 'for program in programs: _ = program.communicate()')
  })

  test('a descriptor that a cell replaces stays replaced until a cell restores it', async () => {
    const prints = (text: string) => `done = subprocess.run(["echo", "${text}"])`
    const replaces = ['import os, subprocess, tempfile', 'kept = os.dup(1); file = tempfile.TemporaryFile()']
    await run(executor, ...replaces, 'number = os.dup2(file.fileno(), 1)', prints('first'))
    expect(await run(executor, prints('second'))).toMatchObject({ status: 'ok', output: '' })
    await run(executor, 'number = os.dup2(kept, 1); os.close(kept)')
    const read = ['position = file.seek(0); print(file.read())', prints('third')]
    expect((await run(executor, ...read)).output).toBe("b'first\\nsecond\\n'\nthird\n")
  })

  test('a task that an older pool runs writes into the cell that submitted it', async () => {
    const code = ['from concurrent.futures import ThreadPoolExecutor', 'pool = ThreadPoolExecutor(1)']
    expect((await run(executor, ...code, 'pool.submit(print, "one").result()')).output).toBe('one\n')
    const next = await run(executor, 'pool.submit(print, "two").result()')
    expect(next.blocks[0]).toMatchObject({ stdout: 'two\n', notices: [] })
  })

  test('a fork that reaches the end of its cell ends, with the exit code of a program', async () => {
    const waits = 'print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))'
    const fork = ['import os, sys', 'sys.stdout.flush()', 'child = os.fork()']
    expect((await run(executor, ...fork, `if child: ${waits}`)).output).toBe('0\n')
    const exits = await run(executor, ...fork, 'if not child: sys.exit(3)', waits)
    expect(exits.output).toBe('3\n')
    const fails = await run(executor, ...fork, 'if not child: raise ValueError', waits)
    expect(fails.blocks[0]?.stdout).toBe('1\n')
    // Before, each of them was a second kernel.
    const left = await run(
      executor,
      'import errno',
      'try: os.waitpid(-1, os.WNOHANG)',
      'except OSError as error: print(error.errno == errno.ECHILD)',
    )
    expect(left.output).toBe('True\n')
  })

  async function runPlain(lines: readonly string[]) {
    await run(executor, plain)
    const result = await run(executor, 'import sys', ...lines)
    await run(executor, paced)
    return result
  }
})
