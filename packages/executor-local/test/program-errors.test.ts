import { spawnSync } from 'node:child_process'
import { codeExecutionTool, type ProgramError } from '@fenced/core'
import type { ToolOutput } from '@fenced/core/tool'
import { requirement } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { python } from './requirements.ts'

/** Raises, in ways that differ in what the interpreter prints. */
const programs: readonly string[] = [
  '1 / 0',
  'x = = 2',
  'def f():\nprint(1)',
  'if True:\n  a = 1\n\tb = 2',
  'raise KeyboardInterrupt',
  'assert False',
  'assert False, "a: b"',
  'raise ValueError("two\\nlines")',
  'raise ValueError("\\n  File \\"m.py\\", line 3, in g\\nValueError: forged")',
  'class A:\n  class E(Exception): pass\nraise A.E("x: y")',
  'def f():\n  class E(Exception): pass\n  raise E\nf()',
  'def f(n):\n  return n and f(n - 1) or 1 / 0\nf(5)',
  'def f(): return f()\nf()',
  'try:\n  1 / 0\nexcept Exception as e:\n  raise KeyError("k") from e',
  'try:\n  1 / 0\nexcept Exception:\n  missing',
  'try:\n  1 / 0\nexcept Exception:\n  raise ValueError("plain") from None',
  'exec("x = = 2")',
  'compile("(", "other.py", "exec")',
  'import json\njson.loads("{")',
  'import traceback, sys\ntry:\n  1 / 0\nexcept Exception:\n  traceback.print_exc()\nraise OSError(2, "No such file")',
  'import threading\nt = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()\nraise RuntimeError("main")',
  'import atexit\natexit.register(lambda: 1 / 0)\nraise ValueError("first")',
  'import warnings\nwarnings.warn("careful")\nraise ValueError("ä \\u202e")',
  'print("out"); import sys; print("Traceback (most recent call last):", file=sys.stderr); raise ValueError("v")',
  '(lambda: (\n  1 /\n  0))()',
  'async def f():\n  raise ValueError("in a coroutine")\nimport asyncio\nasyncio.run(f())',
  'class E(Exception):\n  def __str__(self): return ""\nraise E',
  'import sys\nsys.excepthook = sys.__excepthook__\nraise StopIteration(3)',
]

/** Only where the interpreter has them. */
const since11 = [
  'e = KeyError("k"); e.add_note("a note\\nmore"); raise e',
  'raise ExceptionGroup("many", [ValueError("1"), ExceptionGroup("inner", [TypeError("2")])])',
  'try:\n  raise ExceptionGroup("g", [ValueError("1")])\nexcept Exception as e:\n  raise ValueError("after") from e',
  'try:\n  1 / 0\nexcept Exception as e:\n  raise ExceptionGroup("after", [e])',
]

/** End with a code and no error. */
const withoutError = [
  'import sys; sys.exit(1)',
  'import sys; sys.exit("bye")',
  'raise SystemExit(3)',
  'import os; os._exit(1)',
]

/** What the interpreter knows of the error: its class, its message with notes, and the lines of the program that were running. */
const reference = `
import io, json, os, sys
def known_of(source):
    try:
        exec(compile(source, '<program>', 'exec'), {'__name__': '__main__'})
    except SystemExit:
        return None
    except BaseException as error:
        frames, each = [], error.__traceback__.tb_next
        while each is not None:
            if each.tb_frame.f_code.co_filename == '<program>':
                frame = [each.tb_lineno, each.tb_frame.f_code.co_name]
                if frames[-1:] != [frame]: frames.append(frame)
            each = each.tb_next
        if isinstance(error, SyntaxError) and error.filename == '<program>':
            frames.append([error.lineno, '<module>'])
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        return {'name': type(error).__name__, 'message': '\\n'.join([message, *getattr(error, '__notes__', [])]), 'frames': frames}
for source in json.load(sys.stdin):
    if os.fork() == 0:
        sys.stdout = sys.stderr = io.StringIO()
        print(json.dumps(known_of(source)), file=sys.__stdout__, flush=True)
        os._exit(0)
    os.wait()
`

const pythons = [
  'python3',
  '/usr/bin/python3',
  ...(process.env.FENCED_TEST_PYTHONS ?? '').split(':'),
].flatMap((path) => {
  const { stdout } = spawnSync(path || 'none', ['-c', 'import sys; print(sys.version_info[1])'])
  return Number(stdout) >= 9 ? [{ path, minor: Number(stdout) }] : []
})
const another = requirement(
  'python',
  pythons.length < 2 ? 'there is no second Python of 3.9 or later here' : undefined,
)

describe.skipIf(python.missing)('the error of a program', () => {
  it('is what its interpreter knows of it', () => expectKnown(pythons[0], true))

  it.skipIf(another.missing)(
    'is what other interpreters know, warm and cold',
    { tags: 'nightly', timeout: 600_000 },
    async () => {
      for (const each of pythons) for (const warm of [true, false]) await expectKnown(each, warm)
    },
  )

  it('is in the output of a tool, with its line', async () => {
    await using executor = new LocalCommandLineCodeExecutor()
    const outputs = codeExecutionTool(executor).execute({ code: 'x = 1\nx.missing' })
    let last: ToolOutput | undefined
    for await (const output of outputs) last = output
    const message = "'int' object has no attribute 'missing'"
    expect(last).toMatchObject({
      error: `AttributeError: ${message}`,
      exception: {
        name: 'AttributeError',
        message,
        traceback: [{ file: 'block 1', line: 2, blockIndex: 0 }],
      },
    })
  })

  it.each(withoutError)('is none where it only exits: %s', async (code) => {
    await using executor = new LocalCommandLineCodeExecutor()
    const { status, blocks } = await executor.execute([{ language: 'python', code }])
    expect([status, blocks[0]?.error]).toEqual(['error', undefined])
  })
})

describe('the error of a program of Node', () => {
  const raising: readonly [code: string, name: string, message: string, lines: readonly number[]][] = [
    ['foo()', 'ReferenceError', 'foo is not defined', [1]],
    ['let x = = 2', 'SyntaxError', '', [1]],
    [
      'function f() {\n  throw new TypeError("a\\nb: c", { cause: new Error("d") })\n}\nf()',
      'TypeError',
      'a\nb: c',
      [4, 2],
    ],
    ['await Promise.reject(new RangeError("r"))', 'RangeError', 'r', [1]],
    ['class E extends Error { name = "E" }\nthrow new E("own")', 'E', 'own', [2]],
    ['const e = new Error("p"); e.code = "X"; throw e', 'Error', 'p', [1]],
    ['throw new AggregateError([new Error("1")], "m")', 'AggregateError', 'm', [1]],
    ['setTimeout(() => { throw new Error("late") })', 'Error', 'late', [1]],
    ['throw "text"', 'Uncaught', 'text', [1]],
    ['throw { a: 1 }', 'Uncaught', '{ a: 1 }', [1]],
  ]

  it.skipIf(python.missing).each(['javascript', 'typescript'])(
    'is what %s raised, and where',
    async (language) => {
      await using executor = new LocalCommandLineCodeExecutor()
      for (const [code, name, message, lines] of raising) {
        const { blocks } = await executor.execute([{ language, code }])
        const { stderr = '', error } = blocks[0] ?? {}
        expect({ code, ...error }).toMatchObject({
          name,
          message: expect.stringContaining(message),
          source: 'stderr',
        })
        expect(stderr).toContain(error?.text)
        // Of a module, Node does not tell where a value was thrown that is no error.
        if (language === 'typescript' && name === 'Uncaught') continue
        expect(error?.traceback.map(({ blockIndex, line }) => [blockIndex, line])).toEqual(
          lines.map((line) => [0, line]),
        )
      }
    },
  )

  it.each(['process.exit(1)', 'process.exitCode = 1; console.error("Error: no")'])(
    'is none where it only exits: %s',
    async (code) => {
      await using executor = new LocalCommandLineCodeExecutor()
      const { status, blocks } = await executor.execute([{ language: 'javascript', code }])
      expect([status, blocks[0]?.error]).toEqual(['error', undefined])
    },
  )
})

async function expectKnown(
  interpreter: { path: string; minor: number } | undefined,
  warm: boolean,
): Promise<void> {
  const { path: python = 'python3', minor = 11 } = interpreter ?? {}
  await using executor = new LocalCommandLineCodeExecutor({ python, warm })
  const codes = minor < 11 ? programs : [...programs, ...since11]
  const { stdout } = spawnSync(python, ['-c', reference], { input: JSON.stringify(codes), encoding: 'utf8' })
  const all = stdout.trim().split('\n')
  for (const [index, code] of codes.entries()) {
    const known = JSON.parse(all[index] ?? 'null')
    const { blocks } = await executor.execute([{ language: 'python', code }])
    const { stderr = '', error } = blocks[0] ?? {}
    expect({ code, ...summary(error) }).toEqual({ code, ...known })
    expect(stderr).toContain(error?.text)
  }
}

/** As the reference has it. How deep a recursion goes differs by the frames around it. */
function summary(error: ProgramError | undefined) {
  if (error === undefined) return error
  const frames = error.traceback
    .filter(({ blockIndex }) => blockIndex === 0)
    .map(({ line, function: name = '<module>' }) => [line, name])
  return { name: error.name, message: error.message, frames }
}
