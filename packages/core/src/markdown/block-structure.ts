import { type Container, continueContainer, openContainer } from './container.ts'
import { type Fence, openingFence } from './fence.ts'
import { endsHtmlBlock, type HtmlBlock, openHtmlBlock } from './html-block.ts'
import { LineCursor } from './line-cursor.ts'

/**
 * Deeper quotes and list items are read as text. CommonMark has no limit, but a blank line continues every open
 * item, so without one a document of markers and blank lines would take quadratic time.
 */
const MAX_DEPTH = 16

/**
 * CommonMark's block structure (sections 4 and 5, and the appendix on parsing), as far as it decides which lines
 * open a fence: the open containers and the leaf in the innermost one. Indented code needs no state of its own,
 * since each of its lines is known by its indentation. Link reference definitions are read as the paragraphs
 * that they look like; only a `===` line directly behind one is taken for a heading's underline.
 */
export class BlockStructure {
  readonly #containers: Container[] = []
  #leaf: 'none' | 'paragraph' | HtmlBlock = 'none'

  /** Whether one of the open containers is a block quote. */
  get inQuote(): boolean {
    return this.#containers.some(({ kind }) => kind === 'quote')
  }

  /** Whether the lines are text up to the end of an HTML block that no blank line ends: `<pre>`, a comment. */
  get inRawHtml(): boolean {
    return typeof this.#leaf === 'object' && this.#leaf.end !== 'blank line'
  }

  /** The line behind the prefixes of all open containers, or `undefined` when it stands outside of one. */
  inside(text: string): LineCursor | undefined {
    const line = new LineCursor(text)
    return this.#continueContainers(line) === this.#containers.length ? line : undefined
  }

  /**
   * Reads a line that is not content of a fence and returns the fence that it opens. The fence's lines are then
   * the caller's, who asks {@link inside} about them.
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
