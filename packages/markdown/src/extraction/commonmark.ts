import { type Fence, openingFence } from './fence.ts'
import { LineCursor } from './lines.ts'

/**
 * Deeper quotes and list items are read as text. CommonMark has no limit, but a blank line continues every open
 * item, so without one a document of markers and blank lines would take quadratic time.
 */
const MAX_DEPTH = 16

/**
 * CommonMark's block structure (sections 4 and 5, and the appendix on parsing), as far as it decides which lines
 * open a fence: the open containers and the leaf in the innermost container. Indented code needs no state,
 * since each of its lines is known by its indentation. Link reference definitions are read as paragraphs;
 * only a `===` line directly after a definition is taken for a heading's underline.
 */
export class BlockStructure {
  readonly #containers: Container[] = []
  #leaf: 'none' | 'paragraph' | HtmlBlock = 'none'

  /** Whether one of the open containers is a block quote. */
  get inQuote(): boolean {
    return this.#containers.some(({ kind }) => kind === 'quote')
  }

  /** Whether the line that was read last is one of a paragraph. */
  get inParagraph(): boolean {
    return this.#leaf === 'paragraph'
  }

  /** Whether the lines are text up to the end of an HTML block that no blank line ends: `<pre>`, a comment. */
  get inRawHtml(): boolean {
    return typeof this.#leaf === 'object' && this.#leaf.end !== 'blank line'
  }

  /** The line after the prefixes of all open containers, or `undefined` when it is outside a container. */
  inside(text: string): LineCursor | undefined {
    const line = new LineCursor(text)
    return this.#continueContainers(line) === this.#containers.length ? line : undefined
  }

  /**
   * Reads a line that is not content of a fence and returns the fence that it opens. The fence's lines are then
   * the caller's, which checks them with {@link inside}.
   */
  read(text: string): Fence | undefined {
    const line = new LineCursor(text)
    const depth = this.#continueContainers(line)
    if (depth === this.#containers.length && typeof this.#leaf === 'object') {
      return this.#readHtml(line, this.#leaf)
    }
    return this.#openContainers(line, depth)
  }

  /** A fence ends an HTML block that a blank line would end: not CommonMark, see {@link HtmlBlock}. */
  #readHtml(line: LineCursor, html: HtmlBlock): Fence | undefined {
    const fence = html.end === 'blank line' && line.indent < 4 ? openingFence(line) : undefined
    if (fence !== undefined || endsHtmlBlock(html, line.content)) this.#leaf = 'none'
    return fence
  }

  /** Goes past the prefixes of the open containers and returns how many of them the line continues. */
  #continueContainers(line: LineCursor): number {
    let depth = 0
    for (const container of this.#containers) {
      if (!continueContainer(container, line)) break
      depth += 1
    }
    return depth
  }

  #openContainers(line: LineCursor, continued: number): Fence | undefined {
    let depth = continued
    let inParagraph = depth === this.#containers.length && this.#leaf === 'paragraph'
    let noBreakBefore = 0
    while (!line.blank && line.indent < 4) {
      if (inParagraph && isSetextUnderline(line)) return this.#setLeaf(depth, 'none')
      if (line.contentOffset >= noBreakBefore) {
        const mismatch = thematicBreakMismatch(line)
        if (mismatch === undefined) return this.#setLeaf(depth, 'none')
        noBreakBefore = line.contentOffset + mismatch
      }
      const container = depth < MAX_DEPTH ? openContainer(line, inParagraph) : undefined
      if (container === undefined) break
      this.#setLeaf(depth, 'none')
      this.#containers.push(container)
      depth += 1
      inParagraph = false
    }
    return this.#readLeaf(line, depth)
  }

  #readLeaf(line: LineCursor, depth: number): Fence | undefined {
    // Also where the line stands outside of the paragraph's containers: it continues them lazily.
    const inParagraph = this.#leaf === 'paragraph'
    if (line.blank) return this.#setLeaf(depth, 'none')
    if (line.indent >= 4) return inParagraph ? undefined : this.#setLeaf(depth, 'none')

    const fence = openingFence(line)
    if (fence !== undefined) {
      this.#setLeaf(depth, 'none')
      return fence
    }
    if (/^#{1,6}(?:[ \t]|$)/.test(line.content)) return this.#setLeaf(depth, 'none')
    const html = openHtmlBlock(line.content, inParagraph)
    if (html !== undefined) return this.#setLeaf(depth, endsHtmlBlock(html, line.content) ? 'none' : html)
    return inParagraph ? undefined : this.#setLeaf(depth, 'paragraph')
  }

  /** Closes the containers beyond `depth`, and what stood in the innermost one, for `leaf`. */
  #setLeaf(depth: number, leaf: 'none' | 'paragraph' | HtmlBlock): undefined {
    while (this.#containers.length > depth) this.#containers.pop()
    this.#leaf = leaf
  }
}

/** CommonMark 4.3. */
function isSetextUnderline(line: LineCursor): boolean {
  return /^(?:=+|-+)[ \t]*$/.test(line.content)
}

/**
 * `undefined` when the line is a thematic break (CommonMark 4.1), otherwise how far into its content no break
 * can begin either, so that `- - - - x` is looked at once and not once for each of its markers.
 */
function thematicBreakMismatch(line: LineCursor): number | undefined {
  const marker = line.next
  if (!'*-_'.includes(marker)) return 1
  const content = line.content
  let count = 0
  for (let index = 0; index < content.length; index += 1) {
    if (content[index] === marker) count += 1
    else if (content[index] !== ' ' && content[index] !== '\t') return index
  }
  return count >= 3 ? undefined : content.length
}

/** A block quote (CommonMark 5.1) or a list item (5.2), which can hold a fence. */
type Container = { readonly kind: 'quote' } | ListItem

interface ListItem {
  readonly kind: 'item'
  /** Columns by which a line must be indented to belong to the item. */
  readonly width: number
  /** Nothing has followed the marker yet. */
  empty: boolean
}

/** Goes past the container's prefix; `false` when the line has none and so stands outside the container. */
function continueContainer(container: Container, line: LineCursor): boolean {
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
function openContainer(line: LineCursor, inParagraph: boolean): Container | undefined {
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

/**
 * An HTML block (CommonMark 4.6): `end` is found in its last line, or a blank line ends it (kinds 6 and 7).
 *
 * What a blank line ends, a fence ends here as well. In CommonMark it is text of the HTML block, so the program behind
 * an `<answer>`, `</think>` or `<details>` alone on its line would not be found, and models write such tags around
 * their code, often because a prompt asks for them. Kinds 1 to 5 (`<pre>`, `<script>`, comments) hold what is not
 * meant to be read as Markdown, and keep it.
 */
interface HtmlBlock {
  readonly end: RegExp | 'blank line'
}

const blockTags =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|' +
  'track|ul'

const attribute = String.raw`[ \t]+[a-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:[^ \t"'=<>${'`'}]+|'[^']*'|"[^"]*"))?`
const completeTag = new RegExp(
  String.raw`^<(?:[a-z][a-z\d-]*(?:${attribute})*[ \t]*/?|/[a-z][a-z\d-]*[ \t]*)>[ \t]*$`,
  'i',
)

/** The start conditions 1 to 6 in the order of the specification, and where each block ends. */
const kinds: readonly (HtmlBlock & { readonly start: RegExp })[] = [
  { start: /^<(?:pre|script|style|textarea)(?:[ \t>]|$)/i, end: /<\/(?:pre|script|style|textarea)>/i },
  { start: /^<!--/, end: /-->/ },
  { start: /^<\?/, end: /\?>/ },
  { start: /^<![a-z]/i, end: />/ },
  { start: /^<!\[CDATA\[/, end: /\]\]>/ },
  { start: new RegExp(String.raw`^</?(?:${blockTags})(?:[ \t]|/?>|$)`, 'i'), end: 'blank line' },
]

/** The HTML block that a line with this content begins. */
function openHtmlBlock(content: string, inParagraph: boolean): HtmlBlock | undefined {
  if (!content.startsWith('<')) return undefined
  const kind = kinds.find(({ start }) => start.test(content))
  if (kind !== undefined) return kind
  // Only start condition 7, any other tag alone in its line, cannot interrupt a paragraph.
  return !inParagraph && completeTag.test(content) ? { end: 'blank line' } : undefined
}

/** Whether this line, which may also be the block's first, is its last. */
function endsHtmlBlock(block: HtmlBlock, content: string): boolean {
  return block.end === 'blank line' ? content === '' : block.end.test(content)
}
