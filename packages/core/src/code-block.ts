/**
 * A program from the Markdown of a model. Plain data.
 *
 * Only `language` and `code` are needed to run a block; {@link extractCodeBlocks} sets the other fields.
 */
export interface CodeBlock {
  /** A language id or alias (`python`, `py`, `bash`); the empty string when it is not known. */
  language: string
  /** The program's text, without its fence. */
  code: string
  /** Line of the opening fence in the Markdown, counted from 1. */
  line?: number
  /** The info string of the opening fence, trimmed: `python title="a.py"`. */
  info?: string
  /**
   * `false` when the text, or the list item or quote around the block, ended before the closing fence. Part of the
   * program may be missing, so an executor refuses it with an `invalid` result instead of running half a program.
   */
  closed?: boolean
  /**
   * For `closed: false`: a sentence about the first line that looks like the closing fence, and why it is none. For a
   * Markdown document that is closed: a sentence about why its end is not certain; such a document is not saved.
   */
  almostClosed?: string
  /** For a block that has no language or is not closed: a sentence about a tag (`<code>`) above it, which opens no block. */
  tagAbove?: string
  /**
   * Name of a Python file in the line above the fence (`**app.py**`). The block is not saved under this name. If another
   * program imports it, no package of that name is suggested or installed.
   */
  fileAbove?: string
}
