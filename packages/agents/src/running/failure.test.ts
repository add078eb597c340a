import { describe, expect, it } from 'vitest'
import { failureOf, isRepeated } from './repetitions.ts'

const failure = (output: string, code = output, status: 'error' | 'timeout' = 'error') =>
  failureOf([{ language: 'python', code }], { output, status })

const shell = (name: string, line: number, what: string) => `/srv/task/.fenced-${name}.sh: ${line}: ${what}\n`

const node = (name: string, error: string) =>
  `/srv/task/.fenced-${name}.js:1\nthrow it\n^\n\n${error}\n    at Object.<anonymous> (/srv/task/.fenced-${name}.js:1:7) {\n  errno: -2\n}\n\nNode.js v24.1.0\n`

const traceback = (line: number, error: string) =>
  `Traceback (most recent call last):\n  File "/srv/task/a.py", line ${line}, in <module>\n    f(${line})\n${error}\n`

describe('two failures', () => {
  it('are the same when only places and numbers of lines differ', ({ everyRow }) =>
    everyRow(
      [
        [
          'of the shell in other files',
          shell('1f17', 1, 'nosuch: not found'),
          shell('64ab', 2, 'nosuch: not found'),
        ],
        ['of Node.js', node('0c2e', 'Error: oh'), node('c94f', 'Error: oh')],
        ['in other lines', traceback(1, 'KeyError: "a"'), traceback(7, 'KeyError: "a"')],
        ['with other numbers', 'ValueError: 17 is too much', 'ValueError: 4 is too much'],
        ['with other addresses', 'TypeError: <X at 0x7f12>', 'TypeError: <X at 0x66FA>'],
        ['in other directories', "No file '/tmp/a1/b/in.csv'", "No file '/home/c/in.csv'"],
        ['on Windows', "No file 'C:\\a\\b\\in.csv'", "No file 'D:\\c\\d\\in.csv'"],
        ['behind other output', 'one\ntwo\nOSError: oh', 'three\nOSError: oh'],
        ['with another line break', 'OSError: oh\r\n', 'OSError: oh\n\n'],
      ],
      (_, one, other) => {
        expect(isRepeated(failure(one, 'a'), failure(other, 'b'))).toBe(true)
      },
    ))

  it.each([
    ['of the shell', shell('1f17', 1, 'nosuch: not found'), shell('1f17', 1, 'other: not found')],
    ['of Node.js', node('0c2e', 'Error: oh'), node('0c2e', 'TypeError: oh')],
    ['of Python', traceback(1, 'KeyError: "a"'), traceback(1, 'KeyError: "b"')],
    ['with other files', "No file '/tmp/a/in.csv'", "No file '/tmp/a/out.csv'"],
    ['without a word', '', ''],
    ['with blanks', ' \n', '\n\n'],
  ])('are not the same: %s', (_, one, other) => {
    expect(isRepeated(failure(one, 'a'), failure(other, 'b'))).toBe(false)
  })

  it('of the same program are the same', () => {
    expect(isRepeated(failure('one', 'a'), failure('two', 'a'))).toBe(true)
  })

  it('of different kinds are not the same', () => {
    expect(isRepeated(failure('oh', 'a'), failure('oh', 'b', 'timeout'))).toBe(false)
  })

  it('are not there before the first', () => {
    expect(isRepeated(failure('oh'), undefined)).toBe(false)
  })
})
