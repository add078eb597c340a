import { stripVTControlCharacters } from 'node:util'
import { formatDuration, visibleName } from '@fenced/errors/text'
import type { Theme } from '../console/theme.ts'

import { formatCount, formatFile, formatStatus } from './format.ts'
import type { Program } from './program-list.ts'
import { wrapped } from './prose-writer.ts'

interface RunEnd {
  readonly reason: string
  readonly inputTokens: number
  readonly outputTokens: number
}

/** The end of the page: a line for each program, and the result in words; empty without either. */
export function summaryText(programs: readonly Program[], end: RunEnd, theme: Theme): string {
  const { paint } = theme
  const rows = tableRows(programs, theme)
  const tokens = end.inputTokens + end.outputTokens
  const lines = [
    ...(rows.length === 0 ? [] : [paint('bold', 'Summary'), ...rows, '', closingLine(programs, theme)]),
    ...(end.reason === '' ? [] : [wrapped(end.reason, theme.textWidth)]),
    ...(tokens === 0
      ? []
      : [paint('dim', `${formatCount(end.inputTokens, 'token')} in, ${end.outputTokens} out`)]),
  ]
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`
}

/** As many columns as the longest cell of each needs. */
function tableRows(programs: readonly Program[], theme: Theme): string[] {
  const rows = programs.map(({ number, language, result }) => [
    `${number}`,
    visibleName(language) || 'no language',
    result === undefined ? theme.paint('dim', 'not run') : formatStatus(result, theme),
    result === undefined || ['skipped', 'denied'].includes(result.status)
      ? ''
      : formatDuration(result.durationMs),
  ])
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(0, ...rows.map((cells) => stripVTControlCharacters(cells[column] ?? '').length)),
  )
  return rows.map((cells, index) => {
    const padded = cells.map((cell, column) => {
      const space = ' '.repeat((widths[column] ?? 0) - stripVTControlCharacters(cell).length)
      return column === 0 || column === 3 ? `${space}${cell}` : `${cell}${space}`
    })
    const [duration = ''] = padded.splice(3)
    const files = programs[index]?.result?.files.map(formatFile).join(', ') ?? ''
    const lines = [`  ${padded.join('  ')}`]
    // What does not fit stands below.
    for (const text of [duration, files].filter((cell) => cell.trim() !== '')) {
      const line = `${lines.at(-1)}  ${text}`
      if (stripVTControlCharacters(line).length <= theme.textWidth) lines[lines.length - 1] = line
      else lines.push(`     ${text.trimStart()}`)
    }
    return lines.map((line) => line.trimEnd()).join('\n')
  })
}

function closingLine(programs: readonly Program[], { paint, textWidth }: Theme): string {
  const ran = programs.flatMap(({ result }) =>
    result === undefined || result.status === 'skipped' ? [] : [result],
  )
  const last = ran.at(-1)
  if (last === undefined) return 'Nothing was run.'
  if (last.status === 'denied') return wrapped('The last program was not run: it was denied.', textWidth)
  const well = ran.filter(({ status }) => status === 'ok').length
  const files = new Set(ran.flatMap((result) => result.files.map(({ path }) => path))).size
  const made = files === 0 ? '' : ` and made ${formatCount(files, 'file')}`
  const text = `${well} of ${formatCount(ran.length, 'program')} ran well${made}.`
  return last.status === 'ok'
    ? paint('green', wrapped(text, textWidth))
    : paint('red', wrapped(`${text} The last one: ${last.status}.`, textWidth))
}
