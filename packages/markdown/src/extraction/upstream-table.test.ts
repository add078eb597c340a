import { expect, test } from 'vitest'
import { extractCodeBlocks } from './extract-code-blocks.ts'

/**
 * The inputs on which AutoGen 0.2, 0.4 and AG2 were compared (table 1.3 of our notes on upstream), and what is
 * extracted here: `language:code`, with `!` behind a block that was not closed.
 */
const rows: readonly [name: string, markdown: string, blocks: readonly string[]][] = [
  ['a labeled block', '```python\nX\n```', ['python:X']],
  ['unlabeled, one line', '```\nprint(1)\n```', ['python:print(1)']],
  ['unlabeled, one word', '```\nX\n```', [':X']],
  ['unlabeled, several lines', '```\nimport os\nprint(1)\n```', ['python:import os\nprint(1)']],
  ['c++ and objective-c', '```c++\nX\n```\n```objective-c\nY\n```', ['c++:X', 'objective-c:Y']],
  ['info string with attributes', '```python title=a\nX\n```', ['python:X']],
  ['trailing spaces behind the language', '```python  \nX\n```', ['python:X']],
  ['spaces before the language', '```  python\nX\n```', ['python:X']],
  ['CRLF', '```python\r\nX\r\nY\r\n```\r\n', ['python:X\nY']],
  ['no line ending before the closing fence', '```python\nX```', ['python:X']],
  ['a word behind the closing fence', '```python\nX\n```<end_code>\nY', ['python:X']],
  ['in a list item, at the left margin', '1. a\n   ```python\nif X:\n  Y\n```', ['python:if X:\n  Y']],
  ['in a list item, closed at the left margin', '1. a\n   ```python\n   X\n```\nb', ['python:X']],
  ['empty block', '```python\n```', ['python:']],
  ['one blank line', '```python\n\n```', ['python:']],
  ['four backticks around Python', '````python\nX\n````', ['python:X']],
  [
    'four backticks around a quoted example',
    '````markdown\n```python\nX\n```\n````',
    ['markdown:```python\nX\n```'],
  ],
  ['string with backticks in one line', '```python\ns = "```"\nX\n```', ['python:s = "```"\nX']],
  [
    'string with a line of backticks',
    '```python\ns = """\n```\n"""\nX\n```',
    ['python:s = """\n```\n"""\nX'],
  ],
  ['tildes', '~~~python\nX\n~~~', ['python:X']],
  ['in a list item', '- a\n\n  ```python\n  if X:\n    Y\n  ```', ['python:if X:\n  Y']],
  ['in a block quote', '> ```python\n> X\n> ```', ['python:X']],
  ['unclosed', '```python\nX\n', ['python:X!']],
  ['inline code', 'a ```sh ls``` b\n\n```sh ls```', []],
  ['decorated: {python}', '```{python}\nX\n```', ['python:X']],
  ['decorated: {.python .numbered}', '```{.python .numbered}\nX\n```', ['python:X']],
  ['decorated: {python, echo=FALSE}', '```{python, echo=FALSE}\nX\n```', ['python:X']],
  ['decorated: python{1,3}', '```python{1,3}\nX\n```', ['python:X']],
  ['decorated: python:src/main.py', '```python:src/main.py\nX\n```', ['python:X']],
  ['decorated: python3.11', '```python3.11\nX\n```', ['python:X']],
  ['decorated: .py', '```.py\nX\n```', ['python:X']],
  ['c#', '```c#\nX\n```', ['c#:X']],
  ['python3', '```python3\nX\n```', ['python:X']],
  ['JSON, then Python', '```json\n{}\n```\n```python\nX\n```', ['json:{}', 'python:X']],
  [
    'JSON, prose that looks like a fence, then Python',
    '```json\n{}\n```\nsh\nls\n```python\nX\n```',
    ['json:{}', 'python:X'],
  ],
  ['the language in the first line of code', '```\npython\nX\n```', [':python\nX']],
  ['upper case', '```PYTHON\nX\n```', ['python:X']],
]

test('documents on which AutoGen 0.2, AutoGen 0.4 and AG2 differ', ({ everyRow }) =>
  everyRow(rows, (_name, markdown, blocks) => {
    const found = extractCodeBlocks(markdown)
    expect(found.map(({ language, code, closed }) => `${language}:${code}${closed ? '' : '!'}`)).toEqual(
      blocks,
    )
  }))
