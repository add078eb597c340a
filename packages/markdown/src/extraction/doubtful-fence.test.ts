import { describe, expect, test } from 'vitest'
import { CodeBlockScanner } from './code-block-scanner.ts'
import { extractCodeBlocks } from './extract-code-blocks.ts'

function codes(markdown: string): string[] {
  return extractCodeBlocks(markdown).map(({ code }) => code)
}

const readme = [
  'readme = """',
  '# Title',
  '```bash',
  'pip install x',
  '```',
  'Then:',
  '```python',
  'import x',
  '```',
  '"""',
  'open("README.md", "w").write(readme)',
].join('\n')

describe('a fence inside a Python string', () => {
  test('is content', () => {
    expect(codes(`\`\`\`python\n${readme}\n\`\`\`\nDone.`)).toEqual([readme])
  })

  test('is content in a list item too', () => {
    const item = `\`\`\`python\n${readme}\n\`\`\``.replaceAll('\n', '\n  ')
    expect(codes(`- ${item}\n\nDone.`)).toEqual([readme])
  })

  test('closed the block when the string never ends', () => {
    const markdown = '```python\nx = """\n```\n\nProse, isn\'t it.\n\n```js\nlet y\n```\n'
    expect(codes(markdown)).toEqual(['x = """', 'let y'])
  })

  test('closed the block when the string ends only behind the container', () => {
    expect(codes('> ```python\n> x = """\n> ```\n\n"""\n```\n')).toEqual(['x = """', ''])
  })

  test('closed the block when only a sound program follows', () => {
    const markdown = '```python\nx = """\n```\n\n```python\ndef f():\n    """Docs."""\n```\n'
    expect(codes(markdown)).toEqual(['x = """', 'def f():\n    """Docs."""'])
  })

  test('closed the block when 1000 lines did not decide it', () => {
    const before = '```python\nx = """\n```\n'
    const after = '"""\n```\n'
    expect(codes(before + 'a\n'.repeat(990) + after)).toHaveLength(1)
    expect(codes(before + 'a\n'.repeat(1010) + after)).toEqual(['x = """', ''])
  })

  test('is no matter for other languages and unlabeled blocks', () => {
    for (const label of ['', 'js', 'text', 'markdown']) {
      expect(codes(`\`\`\`${label}\n"""\n\`\`\`\n"""\n\`\`\``)).toEqual(['"""', ''])
    }
  })
})

describe('a fence inside a heredoc', () => {
  test.each(['sh', 'bash', 'shell'])('is content (%s)', (label) => {
    const code = "cat > README.md <<'EOF'\n```sh\nls\n```\nEOF\necho done"
    expect(codes(`\`\`\`${label}\n${code}\n\`\`\`\n`)).toEqual([code])
  })

  test('closed the block when the heredoc never ends', () => {
    expect(codes('```sh\ncat <<EOF\n```\nProse.\n```js\nlet y\n```')).toEqual(['cat <<EOF', 'let y'])
  })
})

describe('while the text is streaming', () => {
  test('a doubtful block comes as soon as a later fence decides it', () => {
    const scanner = new CodeBlockScanner()
    expect(scanner.push('```python\n"""\n```\n')).toEqual([])
    expect(scanner.push('"""\n')).toEqual([])
    expect(scanner.push('```\n')).toMatchObject([{ code: '"""\n```\n"""', closed: true }])
    expect(scanner.end()).toEqual([])
  })

  test('what stands behind a doubtful fence is read again at the end, line numbers kept', () => {
    const scanner = new CodeBlockScanner()
    expect(scanner.push('```python\n"""\n```\n\n```js\nx\n```\n')).toEqual([])
    expect(scanner.end()).toMatchObject([
      { line: 1, code: '"""', closed: true },
      { line: 5, code: 'x', closed: true },
    ])
  })
})

describe('a labeled fence inside a Markdown document', () => {
  const document = '<!-- filename: README.md -->\n# T\n```bash\nnpm i\n```\n## Use'
  const program = '```python\nprint(1)\n```'

  test('is content, and the end of the document is not certain', () => {
    const blocks = extractCodeBlocks(`\`\`\`markdown\n${document}\n\`\`\`\n\n${program}`)
    expect(blocks).toMatchObject([
      { code: document, closed: true, almostClosed: expect.any(String) },
      { code: 'print(1)' },
    ])
    expect(blocks[1]).not.toHaveProperty('almostClosed')
  })

  test('is content without a doubt where the fence around the document is longer', () => {
    const [block] = extractCodeBlocks(`\`\`\`\`markdown\n${document}\n\`\`\`\`\n\n${program}`)
    expect(block).toMatchObject({ code: document, closed: true })
    expect(block).not.toHaveProperty('almostClosed')
  })

  test('without a label makes the end uncertain where text follows it directly', () => {
    const nested = '```markdown\n<!-- filename: README.md -->\n# T\n```\nnpm i\n```\n## Use\n```\n'
    expect(extractCodeBlocks(`${nested}\n${program}`)).toMatchObject([
      { closed: true, almostClosed: expect.any(String) },
      { language: '' },
      { code: 'print(1)' },
    ])
    const apart = '```markdown\n# T\n```\n\nIt prints:\n```\nx\n```\n'
    expect(extractCodeBlocks(apart)[0]).not.toHaveProperty('almostClosed')
    const labeled = `\`\`\`markdown\n# T\n\`\`\`\nThen:\n${program}`
    expect(extractCodeBlocks(labeled)[0]).not.toHaveProperty('almostClosed')
  })

  test('ends with the document where no other closing fence follows', () => {
    expect(codes('```markdown\n# T\n```bash\nnpm i\n```\n\nSo:\n')).toEqual(['# T\n```bash\nnpm i'])
    expect(codes(`\`\`\`markdown\n# T\n\`\`\`bash\nnpm i\n\`\`\`\n\n${program}`)).toContain('print(1)')
  })
})
