import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CodeBlockScanner } from './code-block-scanner.ts'
import { extractCodeBlocks } from './extract-code-blocks.ts'

function found(markdown: string): string[] {
  return extractCodeBlocks(markdown).map(({ code, closed }) => `${code}${closed ? '' : '!'}`)
}

const second = '```python\nsecond\n```'

describe('a closing fence whose meaning is plain closes the block', () => {
  test('glued to code or text, or with a tag behind it', ({ everyRow }) =>
    everyRow<[what: string, markdown: string, blocks: readonly string[]]>(
      [
        ['glued to the last line', '```python\nx\nprint(1)```', ['x\nprint(1)']],
        ['glued, with blanks', '```sh\nls ```  \nThat lists it.', ['ls']],
        ['glued, before another block', `\`\`\`python\nfirst\`\`\`\nThen:\n${second}`, ['first', 'second']],
        ['with a tag behind it', '```python\nfirst\n```<end_code>\nIt prints.', ['first']],
        [
          'with a tag behind it, before a fence',
          '```js\nfirst\n``` </code>\n```\noutput\n```',
          ['first', 'output'],
        ],
        ['with words behind it', '```sh\nls\n``` lists it.', ['ls']],
        [
          'with words behind it, before another block',
          `\`\`\`sh\nls\n\`\`\` and:\n${second}`,
          ['ls', 'second'],
        ],
        ['of tildes', '~~~python\nprint(1)~~~', ['print(1)']],
        [
          'at the left margin, of an item',
          `1. a\n   \`\`\`python\n   x\n\`\`\`\n2. b\n\n${second}`,
          ['x', 'second'],
        ],
        [
          'of an item whose code is at the left margin',
          `- \`\`\`python\nif x:\n  y\n\`\`\`\nb\n${second}`,
          ['if x:\n  y', 'second'],
        ],
        ['of an item with a blank line before its code', '- ```python\n\nx\n```', ['\nx']],
        [
          'of an item, with a fence in a string',
          '- ```python\nx = """\n```\n"""\n```',
          ['x = """\n```\n"""'],
        ],
      ],
      (_, markdown, blocks) => {
        expect(found(markdown)).toEqual(blocks)
      },
    ))
})

describe('data and text whose closing fence is not alone end before a labeled block', () => {
  const labels = ['json', 'text', 'markdown', 'diff', 'html', 'sql', '']
  const ends = [
    ['words', 'x\n``` That is it.'],
    ['a tag', 'x\n```<｜tool▁call▁end｜>'],
    ['glued', 'x```'],
  ] as const
  test.each(labels.flatMap((label) => ends.map(([what, end]) => [label, what, end] as const)))(
    '%s, %s',
    (label, _, end) => {
      expect(found(`\`\`\`${label}\n${end}\n\n${second}`)).toEqual(['x', 'second'])
    },
  )
})

describe('a fence whose meaning is not plain stays what it is in CommonMark', () => {
  test('in a string, before a closing fence, or with other text', ({ everyRow }) =>
    everyRow<[what: string, markdown: string, blocks: readonly string[]]>(
      [
        ['a closing fence follows', '```python\nx # ```\ny\n```', ['x # ```\ny']],
        ['it is in a string', '```python\nx = """\ny```\n"""\n', ['x = """\ny```\n"""!']],
        ['it is in a heredoc', '```sh\ncat <<E\n```<x>\nE\n', ['cat <<E\n```<x>\nE!']],
        ['other backticks in the line', '```sh\necho `date```', ['echo `date```!']],
        ['no program', '```text\nx```', ['x```!']],
        ['no label', '```\nprint(1)```', ['print(1)```!']],
        ['a label behind it', '```python\nx\n```python\ny', ['x\n```python\ny!']],
        ['the marker of a quote', '```python\nx\n> ```', ['x\n> ```!']],
        ['in a quote', '> ```python\nx\n```', ['!', '!']],
        ['no closing fence for code at the left margin', '- ```python\nx', ['!']],
        ['only some code at the left margin', '- ```python\n  x\ny\n  ```', ['x!', '!']],
      ],
      (_, markdown, blocks) => {
        expect(found(markdown)).toEqual(blocks)
      },
    ))
})

describe('what was seen instead of a closing fence', () => {
  test('is named with its line', ({ everyRow }) =>
    everyRow<[what: string, markdown: string, says: string | undefined]>(
      [
        ['nothing', '```python\nx', undefined],
        ['a fence in a string', '```python\nx = "```" + y', undefined],
        [
          'code outside of an item',
          '- ```py\nx',
          'Line 2, `` x ``, does not close it: it is outside the block’s list item and ends it.',
        ],
        [
          'a tag',
          '```python\nx = 1\n</code>',
          'Line 3, `` </code> ``, does not close it: it is a tag, and the block has a fence.',
        ],
        [
          'a label',
          '```python\nx\n```python\ny',
          'Line 3, `` ```python ``, does not close it: text follows it.',
        ],
        ['code', '```text\nx```', 'Line 2, `` x``` ``, does not close it: code precedes it.'],
        ['too few', '````py\nx\n```', 'Line 3, `` ``` ``, does not close it: the opening fence is longer.'],
        [
          'other characters',
          '```py\nx\n~~~',
          'Line 3, `` ~~~ ``, does not close it: the opening fence has other characters.',
        ],
        [
          'indentation',
          '```py\nx\n     ```',
          'Line 3, `` ``` ``, does not close it: it is indented by four columns or more.',
        ],
        [
          'the end of an item',
          '- ```py\n  x\ny',
          'Line 3, `` y ``, does not close it: it is outside the block’s list item or quote and ends it.',
        ],
        [
          'a long line',
          `\`\`\`text\n${'x'.repeat(100)}\`\`\``,
          `Line 2, \`\` ${'x'.repeat(60)}… \`\`, does not close it: code precedes it.`,
        ],
      ],
      (_, markdown, says) => {
        expect(extractCodeBlocks(markdown)[0]?.almostClosed).toBe(says)
      },
    ))
})

test('where a stream is cut makes no difference', () => {
  const parts = [
    '```python',
    '```',
    'x```',
    '```<e>',
    '``` word',
    '- ```sh',
    '  x',
    'x',
    '  ```',
    '"""',
    '',
    '> x',
    '</think>',
  ]
  const property = fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), (lines) => {
    const text = lines.join('\n')
    expect(scan([...text])).toEqual(scan([text]))
  })
  fc.assert(property, { numRuns: 1000 })
})

test('a block comes as soon as another one shows that it has ended', () => {
  const scanner = new CodeBlockScanner()
  expect(scanner.push('```python\nx```\nThen:\n')).toEqual([])
  expect(scanner.push('```python\n')).toMatchObject([{ code: 'x', closed: true }])
})

function scan(chunks: readonly string[]): unknown {
  const scanner = new CodeBlockScanner()
  return [...chunks.flatMap((chunk) => scanner.push(chunk)), ...scanner.end()]
}
