// @module-tag all

import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { expect, test } from 'vitest'
import { documents, doubtfulDocuments } from '../src/extraction/documents.fixture.ts'
import { extractCodeBlocks } from '../src/extraction/extract-code-blocks.ts'
import { multilineLiterals } from '../src/extraction/multiline-literals.ts'

/** `FENCED_TEST_ROUNDS` multiplies it. */
const numRuns = 2_000 * Math.max(1, Number(process.env.FENCED_TEST_ROUNDS ?? 1))

/** A table in which no language is found, so that no fence is doubtful: CommonMark and nothing else. */
const noLanguages = { rows: [], find: () => undefined }

type Root = ReturnType<typeof fromMarkdown>
type Nodes = Root | Root['children'][number]
type Code = Extract<Nodes, { type: 'code' }>
type Html = Extract<Nodes, { type: 'html' }>

interface Fenced {
  readonly line: number | undefined
  readonly info: string
  readonly code: string
}

test('the fenced blocks are those of mdast-util-from-markdown, where a fence ends HTML as a blank line does', () => {
  let exceptions = 0
  const property = fc.property(documents, (markdown) => {
    // The reference's tree does not tell how many columns a tab before a fence in HTML has.
    fc.pre(!markdown.includes('<') || !/\t[ \t]*(?:`{3}|~{3})/.test(markdown))
    const { text, insertedBefore } = withBlankLinesInHtml(markdown)
    exceptions += insertedBefore.length
    const expected = theirs(text).map((block) => ({
      ...block,
      line: (block.line ?? 0) - insertedBefore.filter((line) => line < (block.line ?? 0)).length,
    }))
    expect(ours(markdown)).toEqual(expected)
  })
  fc.assert(property, { numRuns })
  expect(exceptions).toBeGreaterThan(0)
}, 300_000)

test('they differ only where a Python string or a heredoc was open at a closing fence', () => {
  const property = fc.property(doubtfulDocuments, (markdown) => {
    const plain = extractCodeBlocks(markdown, { languages: noLanguages })
    const blocks = extractCodeBlocks(markdown)
    const index = blocks.findIndex(
      ({ line, code }, at) => line !== plain[at]?.line || code !== plain[at]?.code,
    )
    if (index === -1) {
      expect(blocks).toHaveLength(plain.length)
      return
    }
    const [block, cut] = [blocks[index], plain[index]]
    const literals = multilineLiterals(block?.language ?? '')
    for (const line of cut?.code.split('\n') ?? []) literals?.next(line)
    expect(literals?.open).toBe(true)
    expect(block).toMatchObject({ line: cut?.line, closed: true })
    expect(block?.code.startsWith(`${cut?.code}\n`)).toBe(true)
  })
  fc.assert(property, { numRuns })
})

function ours(markdown: string): Fenced[] {
  const blocks = extractCodeBlocks(markdown, { languages: noLanguages, inferLanguage: false })
  return blocks.map(({ line, info = '', code }) => comparable({ line, info, code }))
}

function theirs(markdown: string): Fenced[] {
  const fenced = codeNodes(fromMarkdown(markdown)).filter(({ position }) =>
    // Indented code is a `code` node as well.
    /[`~]/.test(markdown.charAt(position?.start.offset ?? 0)),
  )
  return fenced.map(({ position, lang, meta, value }) =>
    comparable({
      line: position?.start.line,
      info: `${lang ?? ''} ${meta ?? ''}`,
      code: value.replaceAll(/\r\n?/g, '\n'),
    }),
  )
}

/**
 * The document with a blank line before each fence that CommonMark takes for text of an HTML block of kind 6 or 7, and
 * the numbers that those blank lines have in it.
 */
function withBlankLinesInHtml(markdown: string): { text: string; insertedBefore: readonly number[] } {
  const ending = /\r\n?|\n/.exec(markdown)?.[0] ?? '\n'
  const lines = markdown.split(ending)
  const insertedBefore: number[] = []
  if (!markdown.includes('<')) return { text: markdown, insertedBefore }
  for (;;) {
    const text = lines.join(ending)
    const fence = htmlNodes(fromMarkdown(text))
      .map(fenceInHtml)
      .find((found) => found !== undefined)
    if (fence === undefined) return { text, insertedBefore }
    if (insertedBefore.length > 50)
      throw new Error(`A blank line does not end the HTML: ${JSON.stringify(text)}`)
    const raw = lines[fence.line - 1] ?? ''
    lines.splice(fence.line - 1, 0, raw.slice(0, raw.search(/[`~]/)))
    insertedBefore.push(fence.line)
  }
}

/** The first line of an HTML block that is a fence by itself; none in the kinds 1 to 5. */
function fenceInHtml({ value, position }: Html): { line: number } | undefined {
  if (/^[ \t]*<(?:[!?]|(?:pre|script|style|textarea)(?:[ \t>\r\n]|$))/i.test(value)) return undefined
  const content = value.split(/\r\n?|\n/)
  const index = content.findIndex((line) => /^ {0,3}(?:`{3,}[^`]*|~{3,}.*)$/.test(line))
  if (index === -1 || position === undefined) return undefined
  return { line: position.start.line + index }
}

function htmlNodes(node: Nodes): Html[] {
  if (node.type === 'html') return [node]
  return 'children' in node ? node.children.flatMap(htmlNodes) : []
}

function codeNodes(node: Nodes): Code[] {
  if (node.type === 'code') return [node]
  return 'children' in node ? node.children.flatMap(codeNodes) : []
}

/** Blanks in the info string, and blank lines at the end of an unclosed block, are not told apart by mdast. */
function comparable({ line, info, code }: Fenced): Fenced {
  return { line, info: info.replaceAll(/[ \t]+/g, ' ').trim(), code: code.replace(/\n+$/, '') }
}
