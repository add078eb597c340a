import type { ErrorFrame, RaisedError } from './program-error.ts'

const head = /^(?: {2}\+ Exception Group )?Traceback \(most recent call last\):$/
/** Errors of which the interpreter tells, and which do not end the program. */
const beside = /^(?:Exception ignored |Exception in thread |Error in )/
const links = new Set([
  'The above exception was the direct cause of the following exception:',
  'During handling of the above exception, another exception occurred:',
])
const place = /^ {2}File "(?<file>.*)", line (?<line>\d+)(?:, in (?<name>.+))?$/
const repeated = /^ {2}\[Previous line repeated (\d+) more times?\]$/
/** The last line of an error: its class with the module, and the beginning of its message. */
const ending = /^(?:[\p{L}\p{N}_<>]+\.)*(?<name>[\p{L}_][\p{L}\p{N}_]*)(?:: (?<message>.*)|:)?$/u

/** The error at the end of what a Python program wrote to stderr: the last one that is not beside the program. */
export function readPythonError(stderr: string): RaisedError | undefined {
  const lines = stderr.trimEnd().split(/\r?\n/)
  const starts = lines.flatMap((_, index) => (isStart(lines, index) ? [index] : []))
  for (const start of starts.toReversed()) {
    if (beside.test(lines[start - 1] ?? '')) continue
    const next = lines.findIndex((line, index) => index > start && (head.test(line) || beside.test(line)))
    const end = next === -1 ? lines.length : next
    const error = readError(withoutMargin(lines.slice(start, end)))
    if (error === undefined) return undefined
    const text = lines
      .slice(startOfChain(lines, starts, start), end)
      .join('\n')
      .trimEnd()
    return { ...error, text }
  }
  return undefined
}

/** A traceback; or a syntax error of the program's own file, which has none. */
function isStart(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? ''
  if (head.test(line)) return true
  if (place.exec(line)?.groups?.name !== undefined || !place.test(line)) return false
  const rest = lines.slice(index + 1, index + 6)
  const last = rest.findIndex((each) => !each.startsWith('    '))
  return /^(?:SyntaxError|IndentationError|TabError)\b/.test(rest[last] ?? '') && !isInTraceback(lines, index)
}

function isInTraceback(lines: readonly string[], index: number): boolean {
  let before = index - 1
  while (lines[before]?.startsWith('  ')) before--
  return head.test(lines[before] ?? '')
}

/** The lines of a group of exceptions, without those of its parts. */
function withoutMargin(lines: readonly string[]): readonly string[] {
  if (!lines[0]?.startsWith('  + ')) return lines
  const end = lines.findIndex((line) => line.startsWith('  +-+'))
  return lines.slice(0, end === -1 ? lines.length : end).map((line) => line.slice(4))
}

function readError(lines: readonly string[]): Omit<RaisedError, 'text'> | undefined {
  const first = head.test(lines[0] ?? '') || lines[0]?.startsWith('Exception Group') ? 1 : 0
  const last = lines.findIndex((line, index) => index >= first && !line.startsWith('  '))
  const { name, message = '' } = ending.exec(lines[last] ?? '')?.groups ?? {}
  if (name === undefined) return undefined
  return {
    name,
    message: [message, ...lines.slice(last + 1)].join('\n').trimEnd(),
    traceback: framesOf(lines.slice(first, last)),
  }
}

function framesOf(lines: readonly string[]): ErrorFrame[] {
  const frames: ErrorFrame[] = []
  for (const line of lines) {
    const { file, line: number, name } = place.exec(line)?.groups ?? {}
    const last = frames.at(-1)
    const count = repeated.exec(line)?.[1]
    if (file !== undefined)
      frames.push({ file, line: Number(number), ...(isTopLevel(name) ? {} : { function: name as string }) })
    else if (last === undefined || isMarker(line)) continue
    else if (count !== undefined) frames[frames.length - 1] = { ...last, repeated: Number(count) }
    else frames[frames.length - 1] = { ...last, code: joined(last.code, line.slice(4)) }
  }
  return frames
}

/** The line below the code that underlines a part of it. */
function isMarker(line: string): boolean {
  return /^[ ~^]+$/.test(line) && /[~^]/.test(line)
}

function isTopLevel(name: string | undefined): boolean {
  return name === undefined || name === '<module>'
}

function joined(code: string | undefined, line: string): string {
  return code === undefined ? line : `${code}\n${line}`
}

/** The line in which the first of the errors begins that led to the one at `start`. */
function startOfChain(lines: readonly string[], starts: readonly number[], start: number): number {
  const isLinked = lines[start - 1] === '' && links.has(lines[start - 2] ?? '')
  const before = starts.findLast((each) => each < start)
  return isLinked && before !== undefined ? startOfChain(lines, starts, before) : start
}
