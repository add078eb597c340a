import { FencedError } from '@fenced/errors'
import type { CodeBlock } from '../code-block.ts'
import { CodeBlockScanner } from './code-block-scanner.ts'
import type { ExtractOptions } from './extract-options.ts'

/**
 * Returns the fenced code blocks in a Markdown text, in order, as plain data:
 *
 * - `language`: the first word after the fence, as an ID from the language table. For a block without a label, the language
 *   inferred from its code if that is Python or shell, or an empty string.
 * - `code`: the program with `\n` between lines and no final line ending. The fence's indentation and any list or quote prefixes
 *   are removed.
 * - `line`: the line of the opening fence, counted from 1; `info`: the text after the fence, trimmed.
 * - `closed`: `false` if the text, or the list item or quote around the block, ended without a closing fence.
 *
 * Blocks inside a model's reasoning, from `<think>`, `<thinking>` or `<thought>` to the closing tag, are drafts and are left out.
 * Reasoning that is never closed extends to the end of the text. A closing tag alone removes nothing: for a model whose chat
 * template writes the opening tag, set `startsInReasoning`.
 *
 * {@link CodeBlockScanner} does the same for text that is still arriving, and documents what counts as a block.
 *
 * @example
 * const result = await executor.execute(extractCodeBlocks(answer))
 *
 * @throws FencedError `INVALID_OPTIONS` for an argument that is not a string.
 */
export function extractCodeBlocks(markdown: string, options?: ExtractOptions): CodeBlock[] {
  if (typeof markdown !== 'string') throw notText(markdown)
  const scanner = new CodeBlockScanner(options)
  return [...scanner.push(markdown), ...scanner.end()]
}

function notText(value: unknown): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `extractCodeBlocks() takes a Markdown text, and received ${value === null ? 'null' : typeof value}. Pass a string.`,
    data: { option: '' },
  })
}
