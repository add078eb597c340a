/** A text that a careless scanner would need more than linear time for, and the chunks it arrives in. */
export interface WorstInput {
  readonly name: string
  /** Builds the text, of about `size` characters. */
  readonly build: (size: number) => string
  /** Characters per chunk. Default: the whole text at once. */
  readonly chunk?: number
}

/** For the tests, which only assert that none hangs, and for the benchmark, which measures them. */
export const worstInputs: readonly WorstInput[] = [
  { name: 'unclosed fence', build: (size) => `\`\`\`js\n${repeat('x = 1\n', size)}` },
  { name: 'openers only', build: (size) => repeat('```js\n', size) },
  { name: 'empty blocks', build: (size) => repeat('```\n```\n', size) },
  { name: 'fences of growing length', build: (size) => growing(size, (n) => `${'`'.repeat(n + 3)}\n`) },
  { name: 'alternating fences', build: (size) => repeat('```\n~~~~\n', size) },
  { name: 'one line of backticks', build: (size) => repeat('`', size) },
  { name: 'almost closers', build: (size) => `\`\`\`\n${repeat('``` `\n', size)}` },
  { name: 'backticks behind a long info string', build: (size) => `\`\`\`${repeat('a ', size)}\`` },
  { name: 'blank info string', build: (size) => `\`\`\`${repeat(' ', size)}` },
  { name: 'one long line', build: (size) => repeat('word ', size) },
  { name: 'one long line, one character at a time', build: (size) => repeat('word ', size), chunk: 1 },
  { name: 'lines, one character at a time', build: (size) => repeat('```py\nx\n```\n', size), chunk: 1 },
  { name: 'line endings', build: (size) => repeat('\n', size) },
  { name: 'carriage returns, one at a time', build: (size) => repeat('\r', size), chunk: 1 },
  { name: 'spaces', build: (size) => repeat(' ', size) },
  { name: 'tabs', build: (size) => repeat('\t', size) },
  { name: 'spaces behind a list marker', build: (size) => `- ${repeat(' ', size)}x` },
  { name: 'deep quotes in one line', build: (size) => repeat('>', size) },
  { name: 'deep quotes in each line', build: (size) => repeat(`${'>'.repeat(1000)} a\n`, size) },
  {
    name: 'deep quotes and lazy lines',
    build: (size) => `${'> '.repeat(size / 4)}a\n${repeat('a\n', size / 2)}`,
  },
  {
    name: 'deep list and blank lines',
    build: (size) => `${'- '.repeat(size / 4)}a\n${repeat('\n', size / 2)}`,
  },
  {
    name: 'deep list, fence, blank lines',
    build: (size) => `${'- '.repeat(31)}\`\`\`\n${repeat('\n', size)}`,
  },
  {
    name: 'deep list and short lines',
    build: (size) => `${'- '.repeat(size / 4)}a\n${repeat('a\n', size / 2)}`,
  },
  { name: 'growing indentation', build: (size) => growing(size, (n) => `${'  '.repeat(n)}- a\n`) },
  { name: 'almost a thematic break', build: (size) => `${repeat('* ', size)}a *` },
  { name: 'list markers in many lines', build: (size) => repeat(`${'- '.repeat(100)}a\n`, size) },
  { name: 'ordered list markers', build: (size) => repeat('1. ', size) },
  { name: 'digits', build: (size) => repeat('1', size) },
  { name: 'quotes and list markers in turn', build: (size) => repeat('> - ', size) },
  { name: 'HTML openers', build: (size) => repeat('<', size) },
  { name: 'HTML openers in many lines', build: (size) => repeat('<a\n', size) },
  { name: 'unclosed HTML comment', build: (size) => `<!--\n${repeat('-- > ', size)}` },
  { name: 'HTML comments', build: (size) => repeat('<!-- -->\n', size) },
  { name: 'tag with many attributes', build: (size) => `<a ${repeat('b ', size)}` },
  { name: 'tag with much space', build: (size) => `<a b${repeat(' ', size)}=` },
  { name: 'tag with an unclosed value', build: (size) => `<a ${repeat('b="" ', size)}c="` },
  { name: 'unclosed raw text', build: (size) => `<pre>\n${repeat('</pr\n', size)}` },
  { name: 'reasoning in each line', build: (size) => repeat('<think>\n</think>\n', size) },
  { name: 'reasoning many times in a line', build: (size) => repeat('<think></think>', size) },
  {
    name: 'reasoning behind many quotes',
    build: (size) => repeat('>', size / 2) + repeat('</think> a <think>', size / 2),
  },
  { name: 'closing tags that are mentioned', build: (size) => repeat('a </think> ', size) },
  { name: 'tags and backticks', build: (size) => repeat('` </think> ', size) },
  { name: 'a tag that does not end', build: (size) => `<think${repeat(' a', size)}` },
  { name: 'tags that do not end', build: (size) => repeat('<think ', size) },
  { name: 'drafts that are not closed', build: (size) => repeat('<think>\n```py\n"""\n</think>\n', size) },
  { name: 'a fence behind each tag', build: (size) => repeat('<answer>\n```\n```\n', size) },
  { name: 'loose closers', build: (size) => repeat('```py\nx```\n``` a\n', size) },
  { name: 'one block with loose closers', build: (size) => `\`\`\`py\n${repeat('``` a\n', size)}` },
  { name: 'loose closers and labels', build: (size) => repeat('```py\nx```\n```js\n', size) },
  { name: 'programs outside of their items', build: (size) => repeat('- ```py\nx\n', size) },
  { name: 'almost loose', build: (size) => `\`\`\`py\n${repeat('x``` ', size)}` },
  { name: 'doubtful closers', build: (size) => `\`\`\`py\n"""\n${repeat('```\n', size)}` },
  { name: 'strings opened and not closed', build: (size) => repeat('```py\n"""\n```\n', size) },
  { name: 'strings of both kinds', build: (size) => repeat('```py\n"""\n```\n```py\n\'\'\'\n```\n', size) },
  { name: 'heredocs that never end', build: (size) => growing(size, (n) => `\`\`\`sh\n<<E${n}\n\`\`\`\n`) },
  {
    name: 'heredocs in a deep list',
    build: (size) =>
      repeat(`${'- '.repeat(30)}\`\`\`sh\n${' '.repeat(60)}<<A\n${' '.repeat(60)}\`\`\`\n\n\n\n`, size),
  },
  {
    name: 'many heredocs in a line',
    build: (size) => `\`\`\`sh\n${repeat('<<A', size / 2)}\n${repeat('A\n', size / 2)}`,
  },
  { name: 'heredoc words and quotes', build: (size) => `\`\`\`sh\n${repeat('<<\'<<"', size)}` },
  { name: 'nested shell quotes', build: (size) => `\`\`\`sh\n${repeat('"$(', size)}` },
  { name: 'Python quotes', build: (size) => `\`\`\`py\n${repeat('\'"', size)}\n\`\`\`` },
  { name: 'Python backslashes', build: (size) => `\`\`\`py\n'${repeat('\\', size)}\n\`\`\`` },
  { name: 'Python backslash lines', build: (size) => `\`\`\`py\n'\n${repeat('\\\n', size)}\`\`\`` },
  { name: 'unlabeled: for in', build: (size) => unlabeled('for in in in in in in in', size) },
  { name: 'unlabeled: brackets', build: (size) => unlabeled(repeat('[(', 199), size) },
  { name: 'unlabeled: assignments', build: (size) => unlabeled(`${repeat('a, ', 190)}: `, size) },
  { name: 'unlabeled: separators', build: (size) => unlabeled(`ls ${repeat('; |', 190)}`, size) },
  { name: 'unlabeled: shell arguments', build: (size) => unlabeled(`pip ${repeat('a ', 190)}`, size) },
  { name: 'unlabeled: one long line', build: (size) => `\`\`\`\n${repeat('import ', size)}\n\`\`\`\n` },
]

function repeat(text: string, size: number): string {
  return text.repeat(Math.max(1, Math.floor(size / text.length)))
}

/** Pieces that grow, or count up, until they fill the size. */
function growing(size: number, piece: (n: number) => string): string {
  const pieces: string[] = []
  for (let length = 0, n = 0; length < size; n += 1) {
    const text = piece(n)
    pieces.push(text)
    length += text.length
  }
  return pieces.join('')
}

/** Many unlabeled blocks of one line. */
function unlabeled(line: string, size: number): string {
  return repeat(`\`\`\`\n${line}\n\`\`\`\n`, size)
}
