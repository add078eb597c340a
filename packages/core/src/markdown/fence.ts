import type { LineCursor } from './line-cursor.ts'

/** An opening fence (CommonMark 4.5). */
export interface Fence {
  readonly marker: '`' | '~'
  readonly length: number
  /** Columns that the fence is indented by, 0 to 3; as many are taken off each line of its content. */
  readonly indent: number
  /** The info string, trimmed and otherwise as written. */
  readonly info: string
}

/** The fence that the line opens. The caller has made sure that it is indented by less than four columns. */
export function openingFence(line: LineCursor): Fence | undefined {
  // The info string behind backticks contains none: ``` a ``` is inline code.
  const match = /^(?:(`{3,})([^`]*)|(~{3,})(.*))$/s.exec(line.content)
  if (match === null) return undefined
  const [, backticks, backtickInfo, tildes = '', tildeInfo] = match
  return {
    marker: backticks === undefined ? '~' : '`',
    length: (backticks ?? tildes).length,
    indent: line.indent,
    info: trimBlanks(backtickInfo ?? tildeInfo ?? ''),
  }
}

/** Whether the line closes the fence: the same character, at least as often, and nothing but blanks behind it. */
export function closesFence(fence: Fence, line: LineCursor): boolean {
  if (line.next !== fence.marker || line.indent >= 4) return false
  const content = line.content
  let length = 1
  while (content[length] === fence.marker) length += 1
  return length >= fence.length && isBlank(content.slice(length))
}

/** The line as content of the fence. Moves the cursor. */
export function fencedContent(fence: Fence, line: LineCursor): string {
  line.skipIndent(fence.indent)
  return line.rest
}

function isBlank(text: string): boolean {
  return !/[^ \t]/.test(text)
}

/** Only what CommonMark calls blank; `trim()` would take Unicode spaces as well. */
function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charAt(start))) start += 1
  while (end > start && isBlank(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
