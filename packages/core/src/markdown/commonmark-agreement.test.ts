import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { expect, test } from 'vitest'
import { documents, doubtfulDocuments } from './documents.fixture.ts'
import { extractCodeBlocks } from './extract-code-blocks.ts'
import { openConstruct } from './open-construct.ts'

/** A table in which no language is found, so that no fence is doubtful: CommonMark and nothing else. */
const noLanguages = { rows: [], find: () => undefined }

type Root = ReturnType<typeof fromMarkdown>
type Nodes = Root | Root['children'][number]
type Code = Extract<Nodes, { type: 'code' }>

interface Fenced {
  readonly line: number | undefined
  readonly info: string
  readonly code: string
}

test('the fenced blocks are those of mdast-util-from-markdown', () => {
  const property = fc.property(documents, (markdown) => {
    expect(ours(markdown)).toEqual(theirs(markdown))
  })
  fc.assert(property, { numRuns: 5000 })
})

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
    const construct = openConstruct(block?.language ?? '')
    for (const line of cut?.code.split('\n') ?? []) construct?.next(line)
    expect(construct?.open).toBe(true)
    expect(block).toMatchObject({ line: cut?.line, closed: true })
    expect(block?.code.startsWith(`${cut?.code}\n`)).toBe(true)
  })
  fc.assert(property, { numRuns: 5000 })
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

function codeNodes(node: Nodes): Code[] {
  if (node.type === 'code') return [node]
  return 'children' in node ? node.children.flatMap(codeNodes) : []
}

/** Blanks in the info string, and blank lines at the end of an unclosed block, are not told apart by mdast. */
function comparable({ line, info, code }: Fenced): Fenced {
  return { line, info: info.replaceAll(/[ \t]+/g, ' ').trim(), code: code.replace(/\n+$/, '') }
}
