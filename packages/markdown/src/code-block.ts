/**
 * A program from a model's Markdown. Plain data.
 *
 * Only `language` and `code` are needed to run a block; {@link extractCodeBlocks} sets the other fields.
 */
export interface CodeBlock {
  /** Language ID or alias (`python`, `py`, `bash`), or an empty string if unknown. */
  language: string
  /** The program's text, without the fence. */
  code: string
  /** Line of the opening fence in the Markdown, counted from 1. */
  line?: number
  /** The info string of the opening fence, trimmed: `python title="a.py"`. */
  info?: string
  /**
   * `false` if the text, or the list item or quote around the block, ended before the closing fence. Part of the program may be
   * missing, so an executor returns an `invalid` result instead of running half a program.
   */
  closed?: boolean
  /**
   * With `closed: false`, a sentence about the first line that looks like the closing fence and why it is not one. For a closed
   * Markdown document, a sentence about why its end is uncertain; such a document is not saved.
   */
  almostClosed?: string
  /**
   * For a block that has no language or is not closed, a sentence about a tag (`<code>`) above it, or about a fence
   * that does not begin its line, neither of which opens a block.
   */
  tagAbove?: string
  /**
   * Name of a Python file in the line above the fence (`**app.py**`). The block is not saved under this name. If another program
   * imports the file, no package of the same name is suggested or installed.
   */
  fileAbove?: string
}
