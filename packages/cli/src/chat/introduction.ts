import { styleText } from 'node:util'
import type { CodeExecutor } from '@fenced/core'
import { visible } from '@fenced/errors/text'
import { Help } from 'commander'
import { executorText } from '../executor.ts'

const nameColumns = 10

/** What a chat tells at its start. */
export interface Introduction {
  readonly model: string
  readonly baseUrl: string
  readonly workDir?: string
  /** Whether the person decides about each program. */
  readonly asks: boolean
  /** Why programs run there. */
  readonly reason: string
}

/** Describes who talks, where programs run, and what the person can type. */
export function introduction(
  executor: CodeExecutor,
  { model, baseUrl, workDir, asks, reason }: Introduction,
): string {
  const about = {
    model: `${model} at ${baseUrl}`,
    code: `runs ${executorText(executor)}. ${reason}`,
    files: workDir ?? 'are temporary: --work-dir keeps them',
  }
  const keys = {
    Enter: 'runs the program that is shown, or continues',
    ...(executor.session === undefined ? {} : { undo: 'undoes the last program: variables and files' }),
    exit: 'ends the chat',
    'a text': 'answers the model',
    'Ctrl-C': 'stops a running program; at any other time, ends the chat',
  }
  const rules = asks ? paragraph(keys) : 'All programs run without a question (--yes).\n'
  return `${paragraph(about)}\n${rules}\n`
}

/** A line for each row. A text that is wider than the terminal continues below itself. */
function paragraph(rows: Readonly<Record<string, string>>): string {
  const { stdout } = process
  const help = Object.assign(new Help(), { minWidthToWrap: 1 })
  const columns = (stdout.columns || Number.POSITIVE_INFINITY) - nameColumns
  return Object.entries(rows)
    .map(([name, text]) => {
      const lines = help.boxWrap(visible(text), columns).replaceAll('\n', `\n${' '.repeat(nameColumns)}`)
      return `${styleText('bold', `  ${name}`.padEnd(nameColumns), { stream: stdout })}${lines}\n`
    })
    .join('')
}
