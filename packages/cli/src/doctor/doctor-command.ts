import { stripVTControlCharacters, styleText } from 'node:util'
import { visible, visibleJson } from '@fenced/errors/text'
import { Help } from 'commander'
import { type Finding, runCheck } from './check.ts'
import { type Check, checks } from './checks.ts'

/** Prints what works here. @returns 0 when all that was named works; without names, when code can run anywhere. */
export async function doctor(names: readonly Check[], { json }: { readonly json: boolean }): Promise<number> {
  const isNamed = names.length > 0
  const findings = await Promise.all((isNamed ? names : checks).map((check) => runCheck(check, isNamed)))
  const printed = json ? visibleJson(findings, 2) : findings.map(paragraph).join('\n')
  process.stdout.write(`${printed}\n`)
  const works = ({ works, check }: Finding) => works && (isNamed || check !== 'disk')
  return (isNamed ? findings.every(works) : findings.some(works)) ? 0 : 1
}

/** A longer list is hard to read, also in a file. */
const longestList = 100

/** In columns; in a narrow terminal what was seen stands below the name. */
function paragraph({ check, works, detail, repair = '' }: Finding): string {
  const { stdout } = process
  const columns = stdout.columns || Number.POSITIVE_INFINITY
  const isNarrow = columns < 60
  const indent = isNarrow ? 2 : 19
  const newLine = `\n${' '.repeat(indent)}`
  const mark = works
    ? styleText('green', 'works', { stream: stdout })
    : styleText('red', 'fails', { stream: stdout })
  const text = [detail, repair].flatMap((part) => wrapped(part, columns - indent)).join(newLine)
  return `${check.padEnd(11)} ${mark}${isNarrow ? newLine : '  '}${text}`
}

/** Only sentences are wrapped: a line that ends with a command is copied. A long list has a line for each of its items. */
function wrapped(text: string, columns: number): string[] {
  const help = Object.assign(new Help(), { minWidthToWrap: 1 })
  const lines = text === '' ? [] : visible(stripVTControlCharacters(text)).split('\n')
  return lines.flatMap((line) => {
    if (line.endsWith('.')) return help.boxWrap(line, columns).split('\n')
    const [, title, items = ''] = /^(- [^:]+:) (.+, .+)$/.exec(line) ?? []
    return title === undefined || line.length <= Math.min(columns, longestList)
      ? [line.trim()]
      : [title, ...items.split(', ').map((item) => `  ${item}`)]
  })
}
