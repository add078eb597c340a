export { FencedError } from '@fenced/errors'
export type { CodeBlock } from './code-block.ts'
export { CodeBlockScanner } from './extraction/code-block-scanner.ts'
export { extractCodeBlocks } from './extraction/extract-code-blocks.ts'
export type { ExtractOptions } from './extraction/extract-options.ts'
export {
  type BlockLabel,
  createLanguageTable,
  type LanguageTable,
  type LanguageTableOptions,
  labelOf,
  languageId,
} from './language/language-table.ts'
export type { Language } from './language/languages.ts'
