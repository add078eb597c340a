import type { Fence } from './fence.ts'

/** Fence characters that share their line with something else, and so close nothing in CommonMark. */
export interface LooseFence {
  /** The code in front of them, as when the fence is glued to a program's last line. */
  readonly before: string
  /** What stands behind them, trimmed: words, a tag, or the label of another block. */
  readonly behind: string
}

/** The loose fence in a line of the content of a fence. Other fence characters in the line make it code. */
export function looseFence(fence: Fence, content: string): LooseFence | undefined {
  const start = content.indexOf(fence.marker)
  if (start === -1) return undefined
  const end = endOfRun(content, start)
  if (end - start < fence.length || content.includes(fence.marker, end)) return undefined
  const before = content.slice(0, start).trimEnd()
  const behind = content.slice(end).trim()
  if (before === '') return start < 4 && behind !== '' ? { before, behind } : undefined
  // The markers of quotes and lists are no code.
  return behind === '' && /[^\s>*+-]/.test(before) ? { before, behind } : undefined
}

/** Why a line that looks like a closing fence is none; `undefined` for a line that does not look like one. */
export function whyNotClosing(fence: Fence, content: string): string | undefined {
  const loose = looseFence(fence, content)
  if (loose !== undefined) return loose.before === '' ? 'text stands behind it' : 'code stands before it'
  const line = content.trim()
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
