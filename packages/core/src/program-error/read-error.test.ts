import { describe, expect, it } from 'vitest'
import { errorOfProgram, type FailedProgram } from './error-of-program.ts'
import { readNodeError } from './read-node-error.ts'
import { readPythonError } from './read-python-error.ts'

const path = '/place/.fenced-1.py'

function program(stderr: string, about: Partial<FailedProgram> = {}): FailedProgram {
  return {
    ...{ language: 'python', exitCode: 1, stderr, path, file: undefined, blockIndex: 1, directory: '/place' },
    ...about,
  }
}

const raised = (file: string) =>
  `Traceback (most recent call last):\n  File "${file}", line 2, in f\n    raise ValueError("no")\nValueError: no\n`

describe('an error in stderr', () => {
  it.each([
    ['the block', path, { file: 'block 2', line: 2, blockIndex: 1 }],
    ['the block, in a directory behind a link', '/real/.fenced-1.py', { file: 'block 2', blockIndex: 1 }],
    ['a file of the working directory', '/place/lib/m.py', { file: 'lib/m.py' }],
    ['another file', '/usr/lib/m.py', { file: '/usr/lib/m.py' }],
  ])('has a frame of %s', (_, file, frame) => {
    const { traceback } = errorOfProgram(program(raised(file)), undefined) ?? {}
    expect(traceback).toMatchObject([{ ...frame, function: 'f', code: 'raise ValueError("no")' }])
    expect(traceback?.[0]?.blockIndex).toBe((frame as { blockIndex?: number }).blockIndex)
  })

  it.each([
    ['exits with another code', { exitCode: 3 }],
    ['is of another language', { language: 'ruby' }],
    ['is of Node', { language: 'javascript' }],
  ])('is not that of a program that %s', (_, about) => {
    expect(errorOfProgram(program(raised(path), about), undefined)).toBeUndefined()
  })

  it('is bounded, however deep and long it is', () => {
    const frames = Array.from({ length: 1_000 }, (_, line) => `  File "/a.py", line ${line}, in f\n`).join('')
    const stderr = `Traceback (most recent call last):\n${frames}ValueError: ${'long '.repeat(100_000)}\n`
    const error = errorOfProgram(program(stderr), undefined)
    expect(error?.traceback).toHaveLength(200)
    expect(error?.traceback.at(-1)?.line).toBe(999)
    expect([error?.message.length, error?.text.length]).toEqual([8_192, 65_536])
  })

  it('is read in linear time', () => {
    for (const line of ['    at (', ':1:2)', '  File "', '^ ', 'a.', '  | ', '", line 1']) {
      const stderr = `Traceback (most recent call last):\n    at ${line.repeat(40_000)}\n${line.repeat(40_000)}\n`
      readPythonError(stderr)
      readNodeError(`/a.js:1\ncode\n^\n\nError: x\n${stderr}\nNode.js v24.1.0\n`)
    }
  })

  it('is not one of a thread, of a finalizer, or one that was printed before the end', () => {
    const beside = `Exception in thread Thread-1:\n${raised('/beside.py')}`
    const ignored = `Exception ignored in: <function f>\n${raised('/ignored.py')}`
    expect(readPythonError(beside + ignored)).toBeUndefined()
    const text = raised(path).trimEnd()
    expect(readPythonError(`${beside}${raised('/earlier.py')}${raised(path)}${ignored}`)?.text).toBe(text)
  })

  it.each([
    ['nothing', ''],
    ['words', 'Traceback\nError: no\n'],
    ['a head alone', 'Traceback (most recent call last):\n'],
    ['frames alone', 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    x\n'],
    ['what Node would write without its last line', '/a.js:1\nx\n^\n\nError: no\n    at /a.js:1:1\n'],
    ['a last line of Node alone', '\nNode.js v24.1.0\n'],
  ])('is not in %s', (_, stderr) => {
    expect([readPythonError(stderr), readNodeError(stderr)]).toEqual([undefined, undefined])
  })
})

it('what a driver reports comes before stderr, and stderr completes what has no text', () => {
  const reported = { name: 'E', message: 'm', traceback: [{ file: '', line: 1 }], text: 'E: m' }
  const kernel = program(raised('/tmp/ipykernel_1/2.py'), { path: '', exitCode: 1 })
  expect(errorOfProgram(kernel, reported)).toEqual({
    ...reported,
    traceback: [{ file: 'block 2', line: 1, blockIndex: 1 }],
    source: 'kernel',
  })
  const completed = errorOfProgram(kernel, { ...reported, text: '', traceback: [] })
  expect(completed).toMatchObject({ name: 'ValueError', traceback: [{ blockIndex: 1 }], source: 'kernel' })
})

it('the frames of a recursion are one', () => {
  const line = { file: '/a.py', line: 1, function: 'f' }
  const traceback = [{ file: '/a.py', line: 9 }, line, line, { ...line, repeated: 996 }, { ...line, line: 2 }]
  const error = errorOfProgram(program(''), { name: 'RecursionError', message: '', traceback, text: 'x' })
  expect(error?.traceback).toEqual([traceback[0], { ...line, repeated: 998 }, { ...line, line: 2 }])
})
