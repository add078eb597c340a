/**
 * A program as it was cut from a model's Markdown. Plain data.
 *
 * Only `language` and `code` are needed to run a block; the other fields are what {@link extractCodeBlocks}
 * knows about where it came from.
 */
export interface CodeBlock {
  /** A language id or alias (`python`, `py`, `bash`); the empty string when it is not known. */
  language: string
  /** The program's text, without its fence. */
  code: string
  /** Line of the opening fence in the Markdown text, counted from 1. */
  line?: number
  /** The info string behind the opening fence as it was written, trimmed: `python title="a.py"`. */
  info?: string
  /**
   * `false` when the text, or the list item or quote around the block, ended before the closing fence. Part of the
   * program may be missing, so an executor refuses it with an `invalid` result instead of running half a program.
   */
  closed?: boolean
  /** For `closed: false`, a sentence about the line that looks as if it was to close the block, and why it does not. */
  almostClosed?: string
}
