import type { ProgramError } from '@fenced/core'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { describe, expect, it } from 'vitest'
import { jupyter, jupyterPython } from './support.ts'

type Frame = Partial<ProgramError['traceback'][number]>

/** Cells of one kernel, in order. The first frame of `f` is of the second cell. */
const cells: readonly [code: string, name: string, message: string, frames: readonly Frame[]][] = [
  ['1 / 0', 'ZeroDivisionError', 'division by zero', [{ line: 1, blockIndex: 0, code: '1 / 0' }]],
  [
    'def f(x):\n    return 1 / x\nf(0)',
    'ZeroDivisionError',
    'division by zero',
    [
      { line: 3, blockIndex: 0 },
      { line: 2, blockIndex: 0, function: 'f', code: 'return 1 / x' },
    ],
  ],
  [
    'f(0)',
    'ZeroDivisionError',
    'division by zero',
    [
      { line: 1, blockIndex: 0 },
      { file: 'cell 2', line: 2, function: 'f' },
    ],
  ],
  ['x = = 2', 'SyntaxError', 'invalid syntax', [{ line: 1, blockIndex: 0, code: 'x = = 2' }]],
  [
    'try:\n  1 / 0\nexcept Exception as e:\n  raise ValueError("two\\nlines") from e',
    'ValueError',
    'two\nlines',
    [{ line: 4, blockIndex: 0 }],
  ],
  [
    'def r(): return r()\nr()',
    'RecursionError',
    'maximum recursion depth exceeded',
    [{ line: 2 }, { line: 1, repeated: expect.any(Number) }],
  ],
  ['raise KeyboardInterrupt', 'KeyboardInterrupt', '', [{ line: 1, blockIndex: 0 }]],
]

describe.skipIf(jupyter.missing)('the error of a cell', () => {
  it('is what its kernel reports, and each line is that of its cell', async () => {
    await using executor = new JupyterCodeExecutor({ python: jupyterPython })
    for (const [code, name, message, frames] of cells) {
      const { blocks } = await executor.execute([{ language: 'python', code }])
      const { stderr = '', error } = blocks[0] ?? {}
      expect({ code, ...error }).toMatchObject({ code, name, message, source: 'kernel' })
      expect({ code, frames: error?.traceback }).toMatchObject({ code, frames })
      expect(stderr).toContain(error?.text.slice(-1_000))
    }
  })

  it.each(['import sys; sys.exit(2)', 'import sys; sys.exit("bye")'])(
    'is none where it only exits: %s',
    async (code) => {
      await using executor = new JupyterCodeExecutor({ python: jupyterPython })
      const { blocks } = await executor.execute([{ language: 'python', code }])
      expect(blocks[0]?.error).toBeUndefined()
    },
  )
})
