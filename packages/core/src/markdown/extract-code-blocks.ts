import { z } from 'zod'
import type { CodeBlock } from '../code-block.ts'
import { parseInput } from '../options/parse-options.ts'
import { CodeBlockScanner } from './code-block-scanner.ts'
import type { ExtractOptions } from './extract-options.ts'

/**
 * The fenced code blocks of a Markdown text, in order. Plain data:
 *
 * - `language`: the first word after the fence as an id of the language table; for a block without a label, the
 *   language that its code reveals, or the empty string;
 * - `code`: the program with `\n` between its lines and without a final line ending, the indentation of the
 *   fence and the prefixes of lists and quotes taken off;
 * - `line`: the line of the opening fence, counted from 1; `info`: the text after the fence, trimmed;
 * - `closed`: `false` when the text, or the list item or quote around the block, ended without a closing
 *   fence.
 *
 * Blocks inside a model's reasoning, `<think>`, `<thinking>` or `<thought>` up to the closing tag, are drafts and left out.
 * Reasoning that is never closed reaches to the end. A closing tag alone removes nothing: for a model whose chat template
 * writes the opening tag, set `startsInReasoning`.
 *
 * {@link CodeBlockScanner} does the same for a text that is still arriving, and says what a block is.
 *
 * @example
 * const result = await executor.execute(extractCodeBlocks(answer))
 *
 * @throws FencedError `INVALID_OPTIONS` for an argument that is not a string.
 */
export function extractCodeBlocks(markdown: string, options?: ExtractOptions): CodeBlock[] {
  const text = parseInput(z.string(), markdown, 'extractCodeBlocks() takes a Markdown text')
  const scanner = new CodeBlockScanner(options)
  return [...scanner.push(text), ...scanner.end()]
}
