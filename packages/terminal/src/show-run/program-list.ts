import util from 'node:util'
import type { BlockResult, CodeBlock } from '@fenced/core'
import { visibleCode, visibleName } from '@fenced/errors/text'
import { languageId } from '@fenced/markdown'
import { folded } from '@fenced/shared'
import type { Theme } from '../console/theme.ts'
import { highlightedLines } from './highlight.ts'

export interface Program {
  /** Counted from 1 over the whole page. */
  readonly number: number
  language: string
  code: string
  /** Position in the message, from 1. */
  readonly line: number | undefined
  result?: BlockResult
}

/** How many lines are compared, and how much of a program may differ for its changes to say more than the whole. */
const comparison = { fewestLines: 8, mostLines: 500, largestShare: 0.4, context: 2 }

/** The programs of a run, numbered. Each is shown once; a later version of one is shown by what has changed. */
export class ProgramList {
  readonly all: Program[] = []

  add({ language, code, line }: Pick<CodeBlock, 'language' | 'code' | 'line'>): Program {
    const program = { number: this.all.length + 1, language: languageId(language), code, line }
    this.all.push(program)
    return program
  }

  /** The newest program with exactly this code that has not run. */
  waiting({ language, code }: Pick<CodeBlock, 'language' | 'code'>): Program | undefined {
    const id = languageId(language)
    return this.all.findLast(
      (program) => program.result === undefined && program.language === id && program.code === code,
    )
  }

  /** The newest other one whose first lines are these. */
  before(program: Program, lines: readonly string[]): Program | undefined {
    return this.all.findLast(
      ({ number, language, code }) =>
        number !== program.number &&
        language === program.language &&
        code.split('\n', lines.length).join('\n') === lines.join('\n'),
    )
  }

  /** `[2] python, line 5`. */
  title({ number, language, line }: Program, theme: Theme, note = ''): string {
    const where = `${line === undefined ? '' : `, line ${line}`}${note}`
    const name = visibleName(language) || 'no language'
    return `${theme.paint('bold', `[${number}] ${name}`)}${theme.paint('dim', where)}\n`
  }

  /** A program with its title: the whole program, or its differences to a program on the page. */
  text(program: Program, theme: Theme): string {
    const lines = program.code.split('\n')
    const earlier = this.before(program, lines.slice(0, 2))
    if (earlier?.code === program.code) return this.title(program, theme, `: the same as [${earlier.number}]`)
    const changes = earlier === undefined ? undefined : changedLines(earlier.code, program, theme)
    if (earlier === undefined || changes === undefined) {
      return `${this.title(program, theme)}${codeLines(program.code, program.language, theme).join('')}`
    }
    const note = `: changes to [${earlier.number}]`
    return `${this.title(program, theme, note)}${changes}`
  }
}

export function codeLines(code: string, language: string, theme: Theme): string[] {
  return highlightedLines(code, language, theme).map((line) => shownLine(`    ${line}`, theme))
}

type Change = 'kept' | 'added' | 'removed'

/** What is new, what is gone, and the lines around it; `undefined` where that says less than the whole program. */
function changedLines(earlier: string, { code, language }: Program, theme: Theme): string | undefined {
  const [oldLines, newLines] = [earlier.split('\n'), code.split('\n')]
  const { fewestLines, mostLines, largestShare, context } = comparison
  if (newLines.length < fewestLines || Math.max(oldLines.length, newLines.length) > mostLines)
    return undefined
  // Bun has none.
  if (util.diff === undefined) return undefined
  const changes = util
    .diff(oldLines, newLines)
    .map(([operation]): Change => (operation === 0 ? 'kept' : operation === 1 ? 'removed' : 'added'))
  const changed = changes.filter((change) => change !== 'kept').length
  if (changed > newLines.length * largestShare) return undefined
  const isNear = (index: number) =>
    changes.slice(Math.max(0, index - context), index + context + 1).some((change) => change !== 'kept')
  const highlighted = highlightedLines(code, language, theme)
  const shown: string[] = []
  let [oldIndex, newIndex, hidden] = [0, 0, 0]
  const endHidden = () => {
    if (hidden > 0) shown.push(theme.paint('dim', `    ... ${hidden} more line${hidden === 1 ? '' : 's'}`))
    hidden = 0
  }
  for (const [index, change] of changes.entries()) {
    const [removed, line] = [visibleCode(oldLines[oldIndex] ?? ''), highlighted[newIndex] ?? '']
    if (change !== 'added') oldIndex++
    if (change !== 'removed') newIndex++
    if (!isNear(index)) {
      hidden++
      continue
    }
    endHidden()
    if (change === 'removed') shown.push(theme.paint('dim', `  - ${removed}`))
    else shown.push(change === 'added' ? `  ${theme.paint('green', '+')} ${line}` : `    ${line}`)
  }
  endHidden()
  return shown.map((line) => shownLine(line, theme)).join('')
}

/** A line with its margin, in rows of the terminal's width. */
function shownLine(line: string, { columns }: Theme): string {
  return `${folded(line.trimEnd(), columns)}\n`
}
