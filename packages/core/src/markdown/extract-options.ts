import type { LanguageTable } from '../language/language-table.ts'

/** Options for the extraction of code blocks. */
export interface ExtractOptions {
  /** Languages for the labels of blocks. Default: the built-in table. */
  readonly languages?: LanguageTable
  /** Whether a block without a name gets the language that its code gives away. Default: `true`. */
  readonly inferLanguage?: boolean
  /**
   * Names of the tags around a model's reasoning, in which blocks are drafts and not returned. An empty list returns all
   * blocks. With `think` among them, `◁think▷`, `[THINK]` and the `analysis` channel of gpt-oss are reasoning too.
   * Default: `think`, `thinking`, `thought`.
   */
  readonly reasoningTags?: readonly string[]
  /**
   * Whether the text begins in the middle of a model's reasoning, as with models whose chat template writes the opening
   * tag. Without this option, blocks above a closing tag without an opening tag are part of the answer.
   *
   * @default false
   */
  readonly startsInReasoning?: boolean | undefined
}
