import { extractCodeBlocks } from '@fenced/core'
import { languageId } from '@fenced/markdown'
import { fenced } from '../conversation/document-blocks.ts'
import type { LoggedEvent } from '../event.ts'
import { cellOutputs } from './cell-outputs.ts'
import { outcome } from './markdown.ts'
import { type ExportedBlock, type ExportedItem, type ExportedText, exportedItems } from './runs.ts'

type Run = Extract<ExportedItem, { type: 'run' }>

/** A cell of a notebook, without its id. */
interface Cell {
  readonly cell_type: 'code' | 'markdown' | 'raw'
  readonly metadata: { readonly tags?: readonly string[] }
  readonly source: string
  readonly execution_count?: null
  readonly outputs?: readonly object[]
}

/** How a cell of a Python notebook runs a program in another language. */
const magics: Readonly<Record<string, string>> = { bash: '%%bash', javascript: '%%script node', sh: '%%sh' }

/**
 * A conversation as a notebook (nbformat 4.5): its texts as Markdown, and in place of each program of an answer or document a cell, with
 * the outputs of its first run. Runs after it, such as a repeated one, have cells where they were. A program that was denied is a
 * raw cell with the tag `not-run`, below its reason: "Run all" does not run it. What is in a language that a Python notebook cannot
 * run stays Markdown.
 */
export function asNotebook(log: Iterable<LoggedEvent>) {
  const items = exportedItems(log)
  const firstRuns = new Map(
    items
      .flatMap((item) => (item.type === 'run' ? [item] : []))
      .toReversed()
      .map((run) => [run.of, run]),
  )
  const cells = items.flatMap((item) => {
    if (item.type === 'run') return firstRuns.get(item.of) === item ? [] : item.blocks.flatMap(cellsOfRun)
    return item.type === 'person' ? [markdownCell(item.text)] : cellsOfText(item, firstRuns.get(item.id))
  })
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { language_info: { name: 'python' } },
    cells: cells
      .filter(({ cell_type, source }) => cell_type !== 'markdown' || source.trim() !== '')
      .map((cell, index) => ({ id: `cell-${index + 1}`, ...cell })),
  }
}

function cellsOfText({ text }: ExportedText, run: Run | undefined): Cell[] {
  const ran = new Map(run?.blocks.map((each) => [each.block.line, each]))
  const lines = text.split(/\r\n|[\r\n]/)
  const cells: Cell[] = []
  let read = 0
  for (const block of extractCodeBlocks(text)) {
    const { line = 1, code, closed } = block
    const fence = line - 1
    cells.push(markdownCell(lines.slice(read, fence).join('\n').trim()))
    // A block with one empty line has the same code as one without lines.
    const isEmpty = code === '' && lines[line]?.trim() !== ''
    const end = line + (isEmpty ? 0 : code.split('\n').length)
    read = closed === false ? end : end + 1
    const found = ran.get(line)
    ran.delete(line)
    if (found !== undefined) cells.push(...cellsOfRun(found))
    else if (isRunnable(block.language)) cells.push(codeCell(block, []))
    else cells.push(markdownCell(lines.slice(fence, read).join('\n')))
  }
  cells.push(markdownCell(lines.slice(read).join('\n').trim()))
  // Where the text gave no line.
  return [...cells, ...[...ran.values()].flatMap(cellsOfRun)]
}

function cellsOfRun(ran: ExportedBlock): Cell[] {
  const { language, code } = ran.block
  if (ran.notRun !== undefined)
    return [
      markdownCell(`**Not run (${language}).** ${ran.notRun}`),
      { cell_type: 'raw', metadata: { tags: ['not-run'] }, source: code },
    ]
  if (isRunnable(language)) return [codeCell(ran.block, cellOutputs(ran))]
  return [markdownCell(`${fenced(language, code)}\n\n${outcome(ran)}`)]
}

function isRunnable(language: string): boolean {
  return languageId(language) === 'python' || languageId(language) in magics
}

function markdownCell(source: string): Cell {
  return { cell_type: 'markdown', metadata: {}, source }
}

function codeCell({ language, code }: ExportedBlock['block'], outputs: readonly object[]): Cell {
  const magic = magics[languageId(language)]
  const source = magic === undefined ? code : `${magic}\n${code}`
  return { cell_type: 'code', metadata: {}, execution_count: null, source, outputs }
}
