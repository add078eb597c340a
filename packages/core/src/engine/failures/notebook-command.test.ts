import { expect, test } from 'vitest'
import { notebookCommandNotice } from './failure-notices.ts'

const stderr = (line: string, error = 'SyntaxError: invalid syntax') =>
  `  File "/srv/.fenced-1.py", line 2\n    ${line}\n    ^\n${error}\n`

test.each([
  ['!pip install x', '!pip install x'],
  ['! ls -l', '! ls -l'],
  ['%matplotlib inline', '%matplotlib inline'],
  ['files = !ls', 'files = !ls'],
  [`!echo ${'x'.repeat(1_000)}`, `!echo ${'x'.repeat(194)}…`],
])('a notebook command is named: %s', (line, command) => {
  const data = { line: '2', command }
  expect(notebookCommandNotice(stderr(line))).toMatchObject({ code: 'notebook-command', data })
  expect(notebookCommandNotice(stderr(line).replaceAll('\n', '\r\n'))).toMatchObject({ data })
})

test.each([
  ['another line', stderr('1 +')],
  ['another error', stderr('!pip install x', 'ValueError: no')],
  ['a remainder', stderr('x %pip')],
  ['no output', ''],
])('%s is not taken for one', (_, text) => {
  expect(notebookCommandNotice(text)).toBeUndefined()
})
