import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CodeBlock } from '../code-block.ts'
import { CodeBlockScanner } from './code-block-scanner.ts'
import { documents, doubtfulDocuments } from './documents.fixture.ts'
import { extractCodeBlocks } from './extract-code-blocks.ts'

test('a block is returned by the push that brings the ending of its closing line', () => {
  const scanner = new CodeBlockScanner()
  expect(scanner.push('a\n```js\nx\n``')).toEqual([])
  expect(scanner.push('`')).toEqual([])
  expect(scanner.push('\r')).toEqual([
    { language: 'javascript', code: 'x', line: 2, info: 'js', closed: true },
  ])
  expect(scanner.push('\n```')).toEqual([])
  expect(scanner.end()).toEqual([{ language: '', code: '', line: 5, info: '', closed: false }])
})

test('a closing line without an ending is complete when the text ends', () => {
  const scanner = new CodeBlockScanner()
  expect(scanner.push('```js\nx\n```')).toEqual([])
  expect(scanner.end()).toMatchObject([{ code: 'x', closed: true }])
})

test('a block whose container ends is returned with the line that ends it', () => {
  const scanner = new CodeBlockScanner()
  expect(scanner.push('> ```js\n> x\n')).toEqual([])
  expect(scanner.push('y\n')).toMatchObject([{ code: 'x', closed: false }])
})

test('where the text is cut makes no difference', () => {
  const property = fc.property(
    fc.oneof(documents, doubtfulDocuments),
    fc.array(fc.nat({ max: 12 })),
    (markdown, sizes) => {
      expect(scan(pieces(markdown, sizes))).toEqual(extractCodeBlocks(markdown))
    },
  )
  fc.assert(property, { numRuns: 3000 })
})

/** No language is known, so that fences are read as CommonMark does, and none waits for what follows. */
const byTheBook = { languages: { rows: [], find: () => undefined } }

test('one character at a time, each closed block comes with the ending of its closing line', () => {
  const property = fc.property(documents, (markdown) => {
    const scanner = new CodeBlockScanner(byTheBook)
    for (const [index, character] of [...markdown].entries()) {
      const closed = scanner.push(character).filter((block) => block.closed)
      if (closed.length === 0) continue
      // Without this ending the line is complete only if nothing follows; without the line nothing closes.
      expect(character).toMatch(/[\r\n]/)
      const before = markdown.slice(0, index)
      expect(extractCodeBlocks(before, byTheBook)).toContainEqual(closed[0])
      expect(extractCodeBlocks(before.slice(0, lastLineStart(before)), byTheBook)).not.toContainEqual(
        closed[0],
      )
    }
  })
  fc.assert(property, { numRuns: 1000 })
})

function scan(chunks: readonly string[]): CodeBlock[] {
  const scanner = new CodeBlockScanner()
  return [...chunks.flatMap((chunk) => scanner.push(chunk)), ...scanner.end()]
}

/** Pieces of these sizes, some of them empty; the rest one character at a time. */
function pieces(text: string, sizes: readonly number[]): string[] {
  const found: string[] = []
  let start = 0
  for (const size of sizes) {
    found.push(text.slice(start, start + size))
    start += size
  }
  return [...found, ...text.slice(start)]
}

function lastLineStart(text: string): number {
  return Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
}
