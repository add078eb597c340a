import { describe, expect, test } from 'vitest'
import { createLanguageTable } from '../language/language-table.ts'
import { extractCodeBlocks } from './extract-code-blocks.ts'

type Row = readonly [
  name: string,
  markdown: string,
  blocks: readonly (readonly [info: string, code: string])[],
]

/** Some of Unicode's blanks and invisible characters. */
const unseen =
  '\u00A0\u2009\u202F\u3000\u00AD\u034F\u180E\u200B\u200D\u200E\u202E\u2060\u3164\uFE0F\uFEFF\u{E0020}'

function infoAndCode(markdown: string): [string | undefined, string][] {
  return extractCodeBlocks(markdown).map(({ info, code }) => [info, code])
}

describe('the examples of CommonMark 0.31, section 4.5', () => {
  test('have the blocks of the specification', ({ everyRow }) =>
    everyRow<Row>(
      [
        ['119', '```\n<\n >\n```', [['', '<\n >']]],
        ['120', '~~~\n<\n >\n~~~', [['', '<\n >']]],
        ['121: two backticks', '``\nfoo\n``', []],
        ['122', '```\naaa\n~~~\n```', [['', 'aaa\n~~~']]],
        ['123', '~~~\naaa\n```\n~~~', [['', 'aaa\n```']]],
        ['124', '````\naaa\n```\n``````', [['', 'aaa\n```']]],
        ['125', '~~~~\naaa\n~~~\n~~~~', [['', 'aaa\n~~~']]],
        ['126', '```', [['', '']]],
        ['127', '`````\n\n```\naaa', [['', '\n```\naaa']]],
        ['128', '> ```\n> aaa\n\nbbb', [['', 'aaa']]],
        ['129', '```\n\n  \n```', [['', '\n  ']]],
        ['130', '```\n```', [['', '']]],
        ['131', ' ```\n aaa\naaa\n```', [['', 'aaa\naaa']]],
        ['132', '  ```\naaa\n  aaa\naaa\n  ```', [['', 'aaa\naaa\naaa']]],
        ['133', '   ```\n   aaa\n    aaa\n  aaa\n   ```', [['', 'aaa\n aaa\naaa']]],
        ['134: indented code', '    ```\n    aaa\n    ```', []],
        ['135', '```\naaa\n  ```', [['', 'aaa']]],
        ['136', '   ```\naaa\n  ```', [['', 'aaa']]],
        ['137: closer too far in', '```\naaa\n    ```', [['', 'aaa\n    ```']]],
        ['138: inline code', '``` ```\naaa', []],
        ['139', '~~~~~~\naaa\n~~~ ~~', [['', 'aaa\n~~~ ~~']]],
        ['140: in a paragraph', 'foo\n```\nbar\n```\nbaz', [['', 'bar']]],
        ['141', 'foo\n---\n~~~\nbar\n~~~\n# baz', [['', 'bar']]],
        ['142', '```ruby\ndef foo(x)\n  return 3\nend\n```', [['ruby', 'def foo(x)\n  return 3\nend']]],
        ['143', '~~~~    ruby startline=3 $%@#$\nx\n~~~~~~~', [['ruby startline=3 $%@#$', 'x']]],
        ['144', '````;\n````', [[';', '']]],
        ['145: inline code', '``` aa ```\nfoo', []],
        ['146', '~~~ aa ``` ~~~\nfoo\n~~~', [['aa ``` ~~~', 'foo']]],
        ['147', '```\n``` aaa\n```', [['', '``` aaa']]],
      ],
      (_name, markdown, blocks) => {
        expect(infoAndCode(markdown)).toEqual(blocks)
      },
    ))
})

describe('containers', () => {
  test('end where their block quote or list item ends', ({ everyRow }) =>
    everyRow<Row>(
      [
        ['behind a bullet', '- ```py\n  x\n  ```', [['py', 'x']]],
        ['behind a number', '10. ```py\n    x\n    ```', [['py', 'x']]],
        ['behind two markers', '- 1. ```py\n     x\n     ```', [['py', 'x']]],
        ['quote in an item', '* > ```py\n  > x\n  > ```', [['py', 'x']]],
        ['item in a quote', '> - ```py\n>   x\n>\n>   y\n>   ```', [['py', 'x\n\ny']]],
        ['not indented enough for its item', '- a\n\n ```py\n x\n ```', [['py', 'x']]],
        ['indented code of an item', '- a\n\n      ```py\n      x', []],
        ['an item that begins with its second line', '-\n  ```py\n  x\n  ```', [['py', 'x']]],
        ['an item ends with its second blank line', '-\n\n  ```py\n  x\n  ```', [['py', 'x']]],
        ['a blank line of an item keeps what is its own', '- ```\n    \n  ```', [['', '  ']]],
        ['five columns behind a marker are indented code', '-     ```py\n      x', []],
        ['tab behind a marker', '-\t```py\n\tx\n\t```', [['py', 'x']]],
        ['tab that belongs half to the item', '- ```py\n\tx\n  ```', [['py', '  x']]],
        ['tab in the code', '```py\n\tx\n```', [['py', '\tx']]],
        ['tab that belongs half to the fence', '  ```py\n\tx\n  ```', [['py', '  x']]],
        ['quote without spaces', '>```py\n>x\n>```', [['py', 'x']]],
        ['a fence continues no paragraph lazily', '> a\n```py\nx\n```', [['py', 'x']]],
        ['a lazy line opens nothing', '> a\n    ```py\n> x', []],
        ['ordered list in a paragraph, not from 1', 'a\n2. ```py', []],
        ['ordered list in a paragraph, from 1', 'a\n1. ```py\n   x\n   ```', [['py', 'x']]],
        ['ordered list behind indented code', '    a\n2. ```py\n   x\n   ```', [['py', 'x']]],
        ['empty item does not interrupt a paragraph', 'a\n*\n  ```py\nx\n```', [['py', 'x']]],
        ['ten digits are no list marker', '1234567890. ```py', []],
        ['thematic break, not a list', '* * *\n```py\nx\n```', [['py', 'x']]],
        ['setext heading, not a list', 'a\n-\n    ```py', []],
        ['heading closes the paragraph', '# a\n2. ```py\n   x\n   ```', [['py', 'x']]],
        ['deeper than 16 containers is text', `${'> '.repeat(17)}\`\`\`py`, []],
        ['16 containers', `${'> '.repeat(16)}\`\`\`py`, [['py', '']]],
      ],
      (_name, markdown, blocks) => {
        expect(infoAndCode(markdown)).toEqual(blocks)
      },
    ))

  test('a block whose container ends is not closed', () => {
    const markdown = '- ```js\n  x\n\nprose\n\n> ```js\n> y\n```js\nz\n```'
    expect(extractCodeBlocks(markdown)).toEqual([
      {
        language: 'javascript',
        code: 'x\n',
        line: 1,
        info: 'js',
        closed: false,
        almostClosed:
          'Line 4, `` prose ``, does not close it: it is outside the block’s list item or quote and ends it.',
      },
      {
        language: 'javascript',
        code: 'y',
        line: 6,
        info: 'js',
        closed: false,
        almostClosed:
          'Line 8, `` ```js ``, does not close it: it is outside the block’s list item or quote and ends it.',
      },
      { language: 'javascript', code: 'z', line: 8, info: 'js', closed: true },
    ])
  })
})

describe('HTML blocks', () => {
  const fence = '```py\nx\n```'
  test('a fence inside is text', ({ everyRow }) =>
    everyRow(
      [
        ['1: raw text', `<pre>\n\n${fence}\n\n</pre>`],
        ['1: closed by another raw tag', `<script>\n${fence}\n</style>`],
        ['2: comment', `<!-- a\n\n${fence}\n-->`],
        ['3: instruction', `<?php\n\n${fence}\n?>`],
        ['4: declaration', `<!DOCTYPE\n\n${fence}\n>`],
        ['5: CDATA', `<![CDATA[\n\n${fence}\n]]>`],
        ['6: indented code', `<div>\n    ${fence.replaceAll('\n', '\n    ')}`],
        ['6: inline code', `<div>\n\`\`\`py x\`\`\``],
      ],
      (_name, markdown) => {
        expect(extractCodeBlocks(markdown)).toEqual([])
      },
    ))

  test('a fence behind is a fence', ({ everyRow }) =>
    everyRow(
      [
        ['1', `<pre></pre>\n${fence}`],
        ['2', `<!-->\n${fence}`],
        ['2', `<!-- -->\n${fence}`],
        ['3', `<?a?>\n${fence}`],
        ['4', `<!a>\n${fence}`],
        ['5', `<![CDATA[]]>\n${fence}`],
        ['6: block tag', `<div\n${fence}`],
        ['6: a line behind it', `<p>\ntext\n${fence}`],
        ['6: in a quote', `> <div>\n> ${fence.replaceAll('\n', '\n> ')}`],
        ['6: in an item', `- <div>\n  ${fence.replaceAll('\n', '\n  ')}`],
        ['7: other tag', `<my-tag a="1" b='2' c=3 d>  \n${fence}`],
        ['7: other closing tag', `</my-tag >\n${fence}`],
        ['6: blank line', `<div>\n\n${fence}`],
        ['6: blank line in a quote', `> <div>\n>\n> ${fence.replaceAll('\n', '\n> ')}`],
        ['6: end of the quote', `> <div>\n${fence}`],
        ['7: interrupts no paragraph', `a\n<my-tag>\n${fence}`],
        ['7: nor one that it continues lazily', `> a\n<my-tag>\n${fence}`],
        ['7: not alone in its line', `<my-tag> a\n${fence}`],
        ['no tag', `<1>\n${fence}`],
        ['indented', `    <div>\n${fence}`],
      ],
      (_name, markdown) => {
        expect(infoAndCode(markdown)).toEqual([['py', 'x']])
      },
    ))
})

describe('the fields of a block', () => {
  test('line counts from 1, over all kinds of line endings', () => {
    const markdown = 'a\r\n\r```js\n1\r\n```\r\r~~~~\n'
    expect(extractCodeBlocks(markdown).map(({ line }) => line)).toEqual([3, 7])
  })

  test('info is as written, language is decoded', () => {
    expect(extractCodeBlocks('```  c\\+\\+   title="a b" \n```')).toEqual([
      { language: 'c++', code: '', line: 1, info: 'c\\+\\+   title="a b"', closed: true },
    ])
  })

  test('a byte order mark is no text', () => {
    expect(extractCodeBlocks('\uFEFF```js\n```')).toHaveLength(1)
  })

  test('blanks and invisible characters around a fence and in a label change nothing', ({ everyRow }) => {
    const places: (readonly [where: string, markdown: (character: string) => string])[] = [
      ['before the opening fence', (c) => `${c}\`\`\`python\nx\n\`\`\``],
      ['before both fences', (c) => `${c}~~~python\nx\n${c}~~~`],
      ['before the closing fence', (c) => `\`\`\`python\nx\n${c}\`\`\``],
      ['behind the closing fence', (c) => `\`\`\`python\nx\n\`\`\`${c} ${c}`],
      ['around the closing fence', (c) => `\`\`\`python\nx\n${c} ${c}\`\`\`${c}`],
      ['between the last line and the closing fence', (c) => `\`\`\`python\nx${c}\`\`\`${c}`],
      ['before the label', (c) => `\`\`\`${c}python\nx\n\`\`\``],
      ['behind the label', (c) => `\`\`\`python${c}\nx\n\`\`\``],
      ['in an item', (c) => `- \`\`\`python\n  x\n${c}  \`\`\``],
      ['in a quote', (c) => `> \`\`\`python\n> x\n> ${c}\`\`\``],
    ]
    const block = { language: 'python', code: 'x', closed: true }
    return everyRow(
      places.flatMap(([where, markdown]) =>
        [...unseen].map((c) => [`${where}: U+${c.codePointAt(0)?.toString(16)}`, markdown(c)] as const),
      ),
      (_, markdown) => {
        expect(extractCodeBlocks(`${markdown}\n\n\`\`\`python\nx\n\`\`\``)).toMatchObject([block, block])
      },
    )
  })

  test('the special tokens of a model around a fence change nothing', () => {
    const markdown = '<|begin_of_box|>```python\nx\n```<|end_of_box|>'
    expect(extractCodeBlocks(markdown)).toMatchObject([{ language: 'python', code: 'x', closed: true }])
  })

  test('invisible characters before a fence keep it content of a document or a string', ({ everyRow }) =>
    everyRow<[code: string, language: string]>(
      [
        ['a\n\u200B```\nb', 'text'],
        ['a\n\u200B```\nb', ''],
        ['s = """\n\u200B```\n"""', 'python'],
      ],
      (code, language) => {
        expect(extractCodeBlocks(`\`\`\`${language}\n${code}\n\`\`\``)).toMatchObject([
          { code, closed: true },
        ])
      },
    ))

  test('a string of a program that nothing closes ends at a fence behind invisible characters', () => {
    const markdown = '```python\n"""\n\u200B```\n\n```python\nx\n```'
    expect(extractCodeBlocks(markdown)).toMatchObject([{ code: '"""' }, { code: 'x' }])
  })

  test('a document whose only closing fence is behind invisible characters ends there', ({ everyRow }) =>
    everyRow(
      [
        ['```json\n1\n\u3000```\n```sh\nx\n```'],
        ['```\n1\n\u200E```\n```sh\nx\n```'],
        ['```json\n1\n\u00AD```'],
      ],
      (markdown) => {
        const [first, ...others] = extractCodeBlocks(markdown)
        expect(first).toMatchObject({ code: '1', closed: true })
        expect(others.map(({ code }) => code)).toEqual(markdown.includes('sh') ? ['x'] : [])
      },
    ))

  test('languages are looked up in the given table', () => {
    const languages = createLanguageTable({
      languages: [{ id: 'lua', aliases: ['luajit'], extension: 'lua', comments: [], kind: 'run' }],
    })
    expect(extractCodeBlocks('```LuaJIT\n```', { languages })[0]?.language).toBe('lua')
  })

  test('inference can be turned off', () => {
    const markdown = '```\nprint(1)\n```'
    expect(extractCodeBlocks(markdown)[0]?.language).toBe('python')
    expect(extractCodeBlocks(markdown, { inferLanguage: false })[0]?.language).toBe('')
  })

  test('a label is never corrected by inference', () => {
    expect(extractCodeBlocks('```text\nprint(1)\n```')[0]?.language).toBe('text')
  })
})

test.each([undefined, null, 1, ['~~~sh']])('%j in place of a text is refused', (value) => {
  expect(() => extractCodeBlocks(value as never)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: '' } }),
  )
})
