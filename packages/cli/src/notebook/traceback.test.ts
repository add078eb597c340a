import { expect, test } from 'vitest'
import { readTraceback } from './traceback.ts'

const rule = '-'.repeat(75)
const head = (name: string) => `${name.padEnd(42)}Traceback (most recent call last)`
const frame = 'Cell In[2], line 1\n----> 1 raise ValueError("a\\nb")'

test.each([
  ['one line', `${rule}\n${head('ValueError')}\n${frame}\n\nValueError: no\n`, 'ValueError', 'no'],
  [
    'several lines',
    `${rule}\n${head('ValueError')}\n${frame}\n\nValueError: a\nb c\n`,
    'ValueError',
    'a\nb c',
  ],
  ['its own name in it', `${rule}\n${head('E')}\n${frame}\n\nE: a\nE: b\n`, 'E', 'a\nE: b'],
  [
    'no text',
    `${rule}\n${head('KeyboardInterrupt')}\n${frame}\n\nKeyboardInterrupt:\n`,
    'KeyboardInterrupt',
    '',
  ],
  [
    'a chain',
    `${rule}\n${head('A')}\n${frame}\n\nA: one\n\nThe above exception was the direct cause of the following exception:\n\n${head('B')}\n${frame}\n\nB: two\n`,
    'B',
    'two',
  ],
  [
    'a syntax error',
    '  Cell In[1], line 1\n    x =\n       ^\nSyntaxError: invalid syntax\n',
    'SyntaxError',
    'invalid syntax',
  ],
])(
  'the name and the text of an exception with %s, without what was written before',
  (_, error, ename, evalue) => {
    const read = readTraceback(`before\n${error}`)
    expect(read).toEqual({ before: 'before\n', ename, evalue, traceback: error.trimEnd().split('\n') })
  },
)

test('an error of another form is its last line, and all of it the traceback', () => {
  expect(readTraceback('warning\nError in f(): no\n')).toEqual({
    before: '',
    ename: 'Error',
    evalue: '',
    traceback: ['warning', 'Error in f(): no'],
  })
})
