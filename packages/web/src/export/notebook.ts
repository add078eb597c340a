import type { LoggedCodeEvent, LoggedEvent } from '../event.ts'
import { type ExportedBlock, exportedItems } from './runs.ts'

/** A conversation as a notebook (nbformat 4.5): every block that ran is a cell with its outputs. */
export function asNotebook(log: Iterable<LoggedEvent>) {
  const items = exportedItems(log)
  const ran = items.flatMap((item) => (item.type === 'run' ? item.blocks : []))
  const language = ran[0]?.block.language ?? 'python'
  const cells = items.flatMap((item) => {
    if (item.type === 'run') return item.blocks.map((block) => codeCell(block, language))
    const text = item.type === 'answer' ? withoutCode(item.text) : item.text
    return item.type === 'document' || text.trim() === '' ? [] : [markdownCell(text)]
  })
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { language_info: { name: language } },
    cells: cells.map((cell, index) => ({ id: `cell-${index + 1}`, ...cell })),
  }
}

function markdownCell(source: string) {
  return { cell_type: 'markdown', metadata: {}, source }
}

function codeCell({ block, events }: ExportedBlock, language: string) {
  // What another language needs to run in a notebook is its cell magic.
  const magic = block.language === language ? '' : `%%${block.language}\n`
  const outputs: unknown[] = []
  for (const event of events) addOutput(outputs, event)
  return { cell_type: 'code', metadata: {}, execution_count: null, source: `${magic}${block.code}`, outputs }
}

type StreamOutput = { output_type: 'stream'; name: string; text: string }

function addOutput(outputs: unknown[], event: LoggedCodeEvent): void {
  if (event.type === 'result') {
    outputs.push({ output_type: 'display_data', data: event.result, metadata: {} })
    return
  }
  if (event.type !== 'stdout' && event.type !== 'stderr') return
  const last = outputs.at(-1) as StreamOutput | undefined
  if (last?.output_type === 'stream' && last.name === event.type) last.text += event.text
  else outputs.push({ output_type: 'stream', name: event.type, text: event.text } satisfies StreamOutput)
}

/** The prose of an answer: its programs are cells. A fence that nothing closes is prose. Takes time in proportion to the text. */
export function withoutCode(markdown: string): string {
  const kept: string[] = []
  let open: { readonly fence: string; readonly at: number } | undefined
  for (const line of markdown.split('\n')) {
    const fence = /^(?:`{3,}|~{3,})/.exec(line)?.[0]
    kept.push(line)
    if (fence === undefined) continue
    if (open === undefined) open = { fence, at: kept.length - 1 }
    else if (fence.startsWith(open.fence) && line.slice(fence.length).trim() === '') {
      // A longer fence closes it, too (CommonMark 4.5).
      kept.length = open.at
      open = undefined
    }
  }
  return kept.join('\n').trim()
}
