import { fenced } from '../conversation/document-blocks.ts'
import type { LoggedEvent } from '../event.ts'
import { type ExportedBlock, type ExportedItem, exportedItems } from './runs.ts'

/** A conversation as Markdown: what was said, and what the programs have printed behind each. */
export function asMarkdown(title: string, log: Iterable<LoggedEvent>): string {
  const parts = exportedItems(log).map(section)
  return `${[`# ${title.replaceAll('\n', ' ')}`, ...parts.filter((part) => part !== '')].join('\n\n')}\n`
}

function section(item: ExportedItem): string {
  switch (item.type) {
    case 'person':
      return `## Person\n\n${item.text}`
    case 'answer':
      return `## ${item.agent ?? 'Model'}\n\n${item.text}`
    case 'document':
      return `## Document ${item.name}\n\n${item.text}`
    case 'run':
      return item.blocks.map(outcome).join('\n\n')
  }
}

/** How a program ended, and what it printed. */
export function outcome({ block, events, end, notRun }: ExportedBlock): string {
  if (notRun !== undefined) return `**Not run (${block.language}).** ${notRun}`
  const printed = events.map((event) => {
    if (event.type === 'stdout' || event.type === 'stderr') return event.text
    if (event.type === 'result') return `${String(event.result['text/plain'] ?? '[a result]')}\n`
    return event.type === 'notice' ? `${event.notice.message}\n` : ''
  })
  const files = events.flatMap((event) => (event.type === 'file' ? [`\`${event.file.path}\``] : []))
  const status = end === undefined ? 'It did not end.' : `${end.status}, exit code ${end.exitCode}`
  const text = printed.join('')
  return [
    `**Run (${block.language}): ${status}**`,
    ...(text === '' ? [] : [fenced('text', text)]),
    ...(files.length === 0 ? [] : [`Files: ${files.join(', ')}`]),
  ].join('\n\n')
}
