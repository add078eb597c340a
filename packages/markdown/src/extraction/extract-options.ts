import { knownNames } from '../known-names.ts'
import type { LanguageTable } from '../language/language-table.ts'

/** Options for extracting code blocks. */
export interface ExtractOptions {
  /** Languages for block labels. Default: the built-in table. */
  readonly languages?: LanguageTable
  /** Whether to recognize Python and shell in a block without a label from its code. Default: `true`. */
  readonly inferLanguage?: boolean
  /**
   * Names of the tags around a model's reasoning. Blocks inside them are drafts and are not returned. An empty list returns all
   * blocks. If `think` is included, `◁think▷`, `[THINK]` and gpt-oss's `analysis` channel also count as reasoning. Default:
   * `think`, `thinking`, `thought`.
   */
  readonly reasoningTags?: readonly string[]
  /**
   * Whether the text starts in the middle of a model's reasoning, as with models whose chat template writes the opening tag.
   * Without this option, blocks above a closing tag that has no opening tag are part of the answer.
   *
   * @default false
   */
  readonly startsInReasoning?: boolean | undefined
}

/** The names of the options, for a check at run time. A new option needs a row, or the program does not compile. */
const extractOptionNames: Readonly<Record<keyof ExtractOptions, true>> = {
  languages: true,
  inferLanguage: true,
  reasoningTags: true,
  startsInReasoning: true,
}

/** @throws FencedError `INVALID_OPTIONS` for a name that is not an option. */
export function checkExtractOptions(options: ExtractOptions): ExtractOptions {
  return knownNames(options, extractOptionNames, 'the extraction of code blocks')
}
