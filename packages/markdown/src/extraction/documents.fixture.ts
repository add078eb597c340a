import fc from 'fast-check'

const prefixes = ['> ', '>', '- ', '* ', '+ ', '1. ', '1) ', ' ', '  ', '   ', '    ', '\t']
const fences = ['```', '```', '````', '~~~', '~~~~', '```js', '~~~ ts a`b', '``` js  x=1', '``` a`b', '``']
const html = ['<div>', '</div>', '<pre>', 'a</pre>', '<!--', '-->', '<?a', '?>', '<!A', '<![CDATA[', ']]>']
const others = ['', '', 'a', 'b c', '# h', '#', '===', '---', '***', '* * *', '_', '=']

const line = fc
  .tuple(
    fc.array(fc.constantFrom(...prefixes), { maxLength: 4 }),
    fc.constantFrom(...fences, ...html, ...others),
    fc.constantFrom('', '', '', ' ', '\t', ' a'),
  )
  .map(([prefix, body, suffix]) => withoutEmptyItem(prefix.join('') + body + suffix))
const soup = fc
  .array(fc.constantFrom(...prefixes, ...fences, ...html, ...others), { maxLength: 6 })
  .map((pieces) => withoutEmptyItem(pieces.join('')))

/**
 * Short documents in which fences, quotes, lists, HTML, headings, blank lines and indentation meet.
 *
 * Left out is what micromark 4 reads otherwise than the specification and commonmark.js do (with both of which we
 * agree, as rows in the tests of `extractCodeBlocks` show): an empty list item behind an open block, an ordered
 * list that does not begin with 1 behind indented code, and HTML of kind 7 behind a lazy paragraph.
 */
export const documents = documentsOf(fc.oneof({ weight: 3, arbitrary: line }, soup))

const opened = [
  '```py\n"""',
  "```py\nx = '''",
  '```shell\ncat <<EOF',
  '- ```py\n  """',
  '> ```shell\n> <<A',
  '~~~py\n"""',
]
const ended = ['```', '"""\n```', "'''\n```", 'EOF\n```', 'A\n```', '  """\n  ```', '> A\n> ```', '"""\n~~~']
const programs = ['```', '  ```', '> ```', '~~~', '```js', '# """', "cat <<-'A' <<EOF", '"$(', 'a', '']

/** Documents full of fences that a Python string or a heredoc makes doubtful. */
export const doubtfulDocuments = documentsOf(fc.constantFrom(...opened, ...ended, ...ended, ...programs))

function documentsOf(lines: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.array(lines, { maxLength: 14, size: 'max' }),
      fc.constantFrom('\n', '\n', '\r\n', '\r'),
      fc.constantFrom('', '\n'),
    )
    .map(([all, ending, last]) => (all.join('\n') + last).replaceAll('\n', ending))
}

function withoutEmptyItem(text: string): string {
  const isEmptyItem = /(?:^|[ \t>])(?:[-+*]|\d[.)])[ \t]*$/.test(text) && !/\* \* \*[ \t]*$/.test(text)
  return isEmptyItem ? `${text}a` : text
}
