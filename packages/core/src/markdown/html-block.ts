/**
 * An HTML block (CommonMark 4.6): `end` is found in its last line, or a blank line ends it (kinds 6 and 7).
 *
 * What a blank line ends, a fence ends here as well. In CommonMark it is text of the HTML block, so the program behind
 * an `<answer>`, `</think>` or `<details>` alone on its line would not be found, and models write such tags around
 * their code, often because a prompt asks for them. Kinds 1 to 5 (`<pre>`, `<script>`, comments) hold what is not
 * meant to be read as Markdown, and keep it.
 */
export interface HtmlBlock {
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
export function openHtmlBlock(content: string, inParagraph: boolean): HtmlBlock | undefined {
  if (!content.startsWith('<')) return undefined
  const kind = kinds.find(({ start }) => start.test(content))
  if (kind !== undefined) return kind
  // Start condition 7, any other tag alone in its line, is the one that cannot interrupt a paragraph.
  return !inParagraph && completeTag.test(content) ? { end: 'blank line' } : undefined
}

/** Whether this line, which may also be the block's first, is its last. */
export function endsHtmlBlock(block: HtmlBlock, content: string): boolean {
  return block.end === 'blank line' ? content === '' : block.end.test(content)
}
