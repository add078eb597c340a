import { fileURLToPath } from 'node:url'
import type { ErrorFrame, RaisedError } from './program-error.ts'

/** The last line of a report by Node 17 and later. */
const foot = /^Node\.js v\d+\.\d+\.\d+\S*$/
const place = /^(?<file>(?:file:\/\/|node:|\/|[A-Za-z]:[\\/]).*):(?<line>\d+)$/
const position = /:(?<line>\d+):\d+\)?$/
/** Errors have their class first; some have a code. */
const heading = /^(?<name>[\p{L}_$][\p{L}\p{N}_$]*)(?: \[[A-Z\d_]+\])?(?:: (?<message>.*))?$/u
const hint = /^\(Use `node --trace-uncaught /

/** The error that ended a program of Node, which is the end of what it wrote to stderr. */
export function readNodeError(stderr: string): RaisedError | undefined {
  const lines = stderr.trimEnd().split(/\r?\n/)
  if (!foot.test(lines.at(-1) ?? '')) return undefined
  const start = lines.findLastIndex((line, index) => place.test(line) && isReport(lines, index))
  if (start === -1) return undefined
  const report = lines.slice(start, -1)
  const blank = report.findIndex((line, index) => index > 0 && isMarker(report[index - 1]) && line === '')
  // A thrown value that is no error follows without a blank line.
  const thrown = report.findIndex(isMarker) + 1
  const error = (blank === -1 ? report.slice(thrown) : report.slice(blank + 1)).filter(
    (line) => !hint.test(line),
  )
  const text = report.join('\n').trim()
  const firstFrame = error.findIndex((line) => line.startsWith('    at '))
  const message = error.slice(0, firstFrame === -1 ? undefined : firstFrame)
  return { ...named(message, blank !== -1), traceback: framesOf(error, report), text }
}

/** A place is followed by its code and a marker below. */
function isReport(lines: readonly string[], index: number): boolean {
  return isMarker(lines[index + 2])
}

function isMarker(line: string | undefined): boolean {
  return /^[ \t]*\^+$/.test(line ?? '')
}

function named(lines: readonly string[], isError: boolean): Pick<RaisedError, 'name' | 'message'> {
  const [first = '', ...more] = lines
  const { name, message = '' } = heading.exec(first)?.groups ?? {}
  if (!isError || name === undefined) return { name: 'Uncaught', message: lines.join('\n').trim() }
  return { name, message: [message, ...more].join('\n').trim() }
}

/** The frames of the stack, the last call last; with the place of the error where no frame has it, as for a syntax error. */
function framesOf(error: readonly string[], [first = '', code = '']: readonly string[]): ErrorFrame[] {
  const stack = error.slice(error.findIndex((line) => line.startsWith('    at ')))
  const end = stack.findIndex((line) => !line.startsWith('    '))
  const frames = stack.slice(0, end === -1 ? undefined : end).flatMap((line) => frameOf(line) ?? [])
  const { file = '', line = '0' } = place.exec(first)?.groups ?? {}
  const raised = { file: pathOf(file), line: Number(line), code: code.trim() }
  const own = frames.find((each) => each.file === raised.file && each.line === raised.line)
  const calls = frames.map((each) => (each === own ? { ...each, code: raised.code } : each)).toReversed()
  return own === undefined && isOutside(file) ? [...calls, raised] : calls
}

/** `    at name (file:1:2)`, or `    at file:1:2`. No expression reads it: a long line would take the square of its length. */
function frameOf(text: string): ErrorFrame | undefined {
  const found = position.exec(text)
  if (found === null) return undefined
  const place = text.slice('    at '.length, found.index).replace(/^async /, '')
  const start = text.endsWith(')') ? place.lastIndexOf(' (') : -1
  const file = start === -1 ? place : place.slice(start + 2)
  const name = start === -1 ? 'Object.<anonymous>' : place.slice(0, start)
  if (!isOutside(file)) return undefined
  const named = name === 'Object.<anonymous>' ? {} : { function: name }
  return { file: pathOf(file), line: Number(found.groups?.line), ...named }
}

/** Whether a file is outside Node's own code. */
function isOutside(file: string): boolean {
  return !file.startsWith('node:')
}

function pathOf(file: string): string {
  if (!file.startsWith('file://')) return file
  try {
    return fileURLToPath(file)
  } catch {
    return file
  }
}
