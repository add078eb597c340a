import { describe, expect, test } from 'vitest'
import { CodeBlockScanner } from './code-block-scanner.ts'
import { extractCodeBlocks } from './extract-code-blocks.ts'

describe('a tag instead of an opening fence', () => {
  test('is named where the block below it has no language', ({ everyRow }) =>
    everyRow<[what: string, markdown: string, line: number]>(
      [
        ['at the end of a text', '<code>\nx = 1\n```', 1],
        ['above prose', 'So:\n\n<code>\nx = 1\n\n```\nDone, it says\n```', 3],
        ['of a language', '<python>\nx = 1\n```', 1],
      ],
      (_, markdown, line) => {
        const [block] = extractCodeBlocks(markdown)
        expect(block).toMatchObject({ language: '', tagAbove: expect.stringContaining(`Line ${line}, `) })
      },
    ))

  test('is not named where it was closed, or the block has a label or is a program', ({ everyRow }) =>
    everyRow<[what: string, markdown: string]>(
      [
        ['closed', '<code>\nx\n</code>\n\n```\nIt says so\n```'],
        ['a label', '<code>\n\n```text\nx\n```'],
        ['a program', '<code>\n\n```\nimport os\nprint(os.name)\n```'],
        ['in a sentence', 'Use <code>\n\n```\nIt says so\n```'],
      ],
      (_, markdown) => {
        expect(extractCodeBlocks(markdown)[0]).not.toHaveProperty('tagAbove')
      },
    ))
})

describe('a fence that does not begin its line', () => {
  test('is named by the block that its closing fence opens', ({ everyRow }) =>
    everyRow<[what: string, markdown: string, line: number]>(
      [
        ['behind text', 'Here: ```python\nprint(1)\n```', 1],
        ['behind text, with tildes', 'So:\nHere: ~~~py\nprint(1)\n~~~', 2],
        ['indented as code', '    ```python\n    print(1)\n```\n', 1],
        ['before a second program', 'Here: ```sh\nls\n```\nThen:\n```python\nprint(1)\n```', 1],
      ],
      (_, markdown, line) => {
        const [block] = extractCodeBlocks(markdown)
        expect(block).toMatchObject({ info: '', tagAbove: expect.stringContaining(`Line ${line}, `) })
      },
    ))

  test('is not named for a labeled block, or where it is not one', ({ everyRow }) =>
    everyRow<[what: string, markdown: string]>(
      [
        ['a label', 'Here: ```python\n\n```text\nx\n```'],
        ['code in a line', 'Use ```a``` here\n\n```\nIt says so\n```'],
        ['words behind it', 'Use ```python or else\n\n```\nIt says so\n```'],
        ['in a list', '- ```python\n  x = 1\n  ```\n\n```\nIt says so\n```'],
      ],
      (_, markdown) => {
        expect(extractCodeBlocks(markdown).at(-1)).not.toHaveProperty('tagAbove')
      },
    ))
})

describe('the name of a Python file above a fence', () => {
  const block = '```python\nx = 1\n```'

  test('is a hint in its block', ({ everyRow }) =>
    everyRow<[above: string, name: string]>(
      [
        ['**greet04.py**', 'greet04.py'],
        ['### src/greet.py\n', 'src/greet.py'],
        ['Replace `a.py` by `b.py`:', 'b.py'],
        ['1. `pkg/__init__.py`', 'pkg/__init__.py'],
      ],
      (above, name) => {
        expect(extractCodeBlocks(`${above}\n${block}`)).toMatchObject([{ code: 'x = 1', fileAbove: name }])
      },
    ))

  test('is none elsewhere', ({ everyRow }) =>
    everyRow<[above: string]>(
      [['a.pyc'], ['https://example.test/a.py/b'], ['a.py\n\nThen:'], [`\`\`\`text\na.py\n\`\`\``]],
      (above) => {
        expect(extractCodeBlocks(`${above}\n${block}`).at(-1)).not.toHaveProperty('fileAbove')
      },
    ))
})

test('where a stream is cut makes no difference', () => {
  const text = '<code>\nx\n```\n\n**a.py**\n\n```python\nx\n```\n'
  const scanner = new CodeBlockScanner()
  const blocks = [...text].flatMap((character) => scanner.push(character))
  expect([...blocks, ...scanner.end()]).toEqual(extractCodeBlocks(text))
})
