import { stripVTControlCharacters } from 'node:util'
import type { ErrorFrame } from '@fenced/core'
import type { RaisedError } from '@fenced/core/driver'
import type { KernelMessage } from '../protocol/message.ts'

/** The frames of IPython: a cell by its number, or a file; then lines of code, of which an arrow marks the one that ran. */
const frame =
  /^ *(?:Cell In ?\[(?<cell>\d+)\](?:, line |:)(?<cellLine>\d+)|File (?<file>.+?):(?<line>\d+))(?:,? in (?<name>[^(]+?)(?:\(.*)?)?$/
const marked = /^-+> \d+ (?<code>.*)$/
const numbered = /^ *\d+( |$)/
/** A longer line is no frame, and an expression would take the square of its length. */
const longestLine = 1_024
const heading = /Traceback \(most recent call last\)$/
/** The end of a message about the syntax of a cell. */
const cellPlace = / \(\d+\.py, line \d+\)$/

/**
 * The error in a kernel's reply to a cell; `undefined` for `sys.exit`, and for kernels that name none. A group of exceptions has no text:
 * IPython writes it to stderr.
 */
export function errorOfReply({ content }: KernelMessage): RaisedError | undefined {
  const { ename, evalue, execution_count: count } = content
  if (content.status !== 'error' || typeof ename !== 'string' || ename === '' || ename === 'SystemExit')
    return undefined
  const lines = Array.isArray(content.traceback) ? content.traceback.map(String) : []
  const text = stripVTControlCharacters(lines.join('\n')).trim()
  const traceback = framesIn(text).map((each) => ownFrame(each, Number(count)))
  return { name: ename, message: messageIn(text, ename, String(evalue ?? '')), traceback, text }
}

function framesIn(text: string): readonly ErrorFrame[] {
  const lines = text.split('\n')
  const frames: ErrorFrame[] = []
  for (const whole of lines.slice(lines.findLastIndex((each) => heading.test(each)) + 1)) {
    const line = whole.slice(0, longestLine)
    const {
      cell,
      file = `cell ${cell}`,
      cellLine,
      line: number = cellLine,
      name,
    } = frame.exec(line)?.groups ?? {}
    const last = frames.at(-1)
    const code = marked.exec(line)?.groups?.code ?? codeBelow(line)
    if (number !== undefined)
      frames.push({ file, line: Number(number), ...(name === undefined ? {} : { function: name.trim() }) })
    else if (last !== undefined && last.code === undefined && code !== undefined)
      frames[frames.length - 1] = { ...last, code: code.trim() }
  }
  return frames
}

/** The message with its notes, which follow it in the text. */
function messageIn(text: string, name: string, value: string): string {
  const told = `${name}: ${value}`
  const start = text.lastIndexOf(told)
  const notes = start === -1 ? '' : text.slice(start + told.length).trimEnd()
  return (value + notes).replace(cellPlace, '')
}

/** The code below a frame of a syntax error has no number. */
function codeBelow(line: string): string | undefined {
  return line.startsWith('    ') && !numbered.test(line) ? line.slice(4) : undefined
}

/** The cell that failed has no name: the engine gives it the block's. */
function ownFrame(each: ErrorFrame, count: number): ErrorFrame {
  return each.file === `cell ${count}` ? { ...each, file: '' } : each
}
