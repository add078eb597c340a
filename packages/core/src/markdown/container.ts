import type { LineCursor } from './line-cursor.ts'

/** A block quote (CommonMark 5.1) or a list item (5.2): what a fence can stand in. */
export type Container = { readonly kind: 'quote' } | ListItem

interface ListItem {
  readonly kind: 'item'
  /** Columns by which a line must be indented to belong to the item. */
  readonly width: number
  /** Nothing has followed the marker yet. */
  empty: boolean
}

/** Goes past the container's prefix; `false` when the line has none and so stands outside the container. */
export function continueContainer(container: Container, line: LineCursor): boolean {
  if (container.kind === 'quote') return skipQuoteMarker(line)
  // An item may begin with one blank line; a second one ends it.
  if (line.blank) {
    if (container.empty) return false
  } else {
    if (line.indent < container.width) return false
    container.empty = false
  }
  line.skipIndent(container.width)
  return true
}

/** The container that begins at the cursor, which is moved past its marker. */
export function openContainer(line: LineCursor, inParagraph: boolean): Container | undefined {
  if (skipQuoteMarker(line)) return { kind: 'quote' }
  return openListItem(line, inParagraph)
}

function skipQuoteMarker(line: LineCursor): boolean {
  if (line.next !== '>' || line.indent >= 4) return false
  line.skipMarker(1)
  line.skipIndent(1)
  return true
}

function openListItem(line: LineCursor, inParagraph: boolean): ListItem | undefined {
  const match = /^(?:[-+*]|(\d{1,9})[.)])(?=([ \t]*))(?:[ \t]|$)/.exec(line.content)
  if (match === null) return undefined
  const markerWidth = match[1] === undefined ? 1 : match[1].length + 1
  const empty = markerWidth + (match[2]?.length ?? 0) === line.content.length
  // What interrupts a paragraph must look like a list on purpose: not empty, and beginning with 1.
  if (inParagraph && (empty || (match[1] !== undefined && Number(match[1]) !== 1))) return undefined

  const indent = line.indent
  line.skipMarker(markerWidth)
  // Five columns or more are one for the marker, and indented code.
  const padding = empty || line.indent > 4 ? 1 : line.indent
  line.skipIndent(padding)
  return { kind: 'item', width: indent + markerWidth + padding, empty }
}
