import { asMarkdownBlanks, hasUnseen, trimUnseen, trimUnseenEnd } from '../unseen.ts'
import type { LineCursor } from './lines.ts'

/**
 * A line whose fence is not at its beginning only because of invisible characters, blanks that are not Markdown's, or the special
 * tokens of a model (`<|begin_of_box|>`), without those before the fence; `undefined` for every other line.
 */
export function withoutUnseen(text: string): string | undefined {
  const start = text.search(/[`~]{3}/)
  const prefix = text.slice(0, Math.max(0, start))
  if (!prefix.includes('|>') && !hasUnseen(prefix)) return undefined
  const before = asMarkdownBlanks(prefix).replace(/<\|\w+\|>/g, '')
  return /^[ \t>*+\-\d.)]*$/.test(before) ? before + text.slice(start) : undefined
}

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

/** Whether the line closes the fence: the same character, at least as often, and nothing visible after it. */
export function closesFence(fence: Fence, line: LineCursor): boolean {
  if (line.next !== fence.marker || line.indent >= 4) return false
  const content = line.content
  let length = 1
  while (content[length] === fence.marker) length += 1
  return length >= fence.length && trimUnseen(content.slice(length)) === ''
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

/** Fence characters that share their line with something else, and so close nothing in CommonMark. */
export interface LooseFence {
  /** The code in front of them, as when the fence is glued to a program's last line. */
  readonly before: string
  /** The text after them, trimmed: words, a tag, or the label of another block. */
  readonly behind: string
}

/** The loose fence in a line of the content of a fence. Other fence characters in the line make it code. */
export function looseFence(fence: Fence, content: string): LooseFence | undefined {
  const start = content.indexOf(fence.marker)
  if (start === -1) return undefined
  const end = endOfRun(content, start)
  if (end - start < fence.length || content.includes(fence.marker, end)) return undefined
  const before = trimUnseenEnd(content.slice(0, start))
  const behind = trimUnseen(content.slice(end))
  if (before === '')
    return start < 4 && (behind !== '' || hasUnseen(content)) ? { before, behind } : undefined
  // The markers of quotes and lists are no code.
  return behind === '' && /[^\s>*+-]/.test(before) ? { before, behind } : undefined
}

/** Tags that models write instead of the closing fence. */
const closingTag = /^<\/(?:code|pre|end_code|execute|python|bash|sh)>$/i

/** Why a line that looks like a closing fence is none; `undefined` for a line that does not look like one. */
export function whyNotClosing(fence: Fence, content: string): string | undefined {
  const loose = looseFence(fence, content)
  if (loose !== undefined) return loose.before === '' ? 'text follows it' : 'code precedes it'
  const line = content.trim()
  if (closingTag.test(line)) return 'it is a tag, and the block has a fence'
  const marker = line.charAt(0)
  if (line.length < 3 || !'`~'.includes(marker) || endOfRun(line, 0) < line.length) return undefined
  if (marker !== fence.marker) return 'the opening fence has other characters'
  return line.length < fence.length ? 'the opening fence is longer' : 'it is indented by four columns or more'
}

function endOfRun(text: string, start: number): number {
  let end = start
  while (end < text.length && text[end] === text[start]) end += 1
  return end
}
