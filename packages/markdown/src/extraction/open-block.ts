import type { CodeBlock } from '../code-block.ts'
import type { Fence, LooseFence } from './fence.ts'
import { inferLanguage } from './infer-language.ts'
import { InnerFences, uncertainEnd } from './inner-fences.ts'
import type { MultilineLiterals } from './multiline-literals.ts'

/** A block whose end has not been found. */
export interface OpenBlock {
  readonly fence: Fence
  readonly language: string
  /** Whether its label is one of a language that is run: only then a fence may be more or less than it seems. */
  readonly isProgram: boolean
  /** Whether invisible characters before a fence are ignored. In a document, they may be there to keep the fence text. */
  readonly ignoresUnseen: boolean
  /** Line of the opening fence, counted from 1. */
  readonly line: number
  readonly code: string[]
  readonly literals: MultilineLiterals | undefined
  /** Whether a line of the program begins with the opening tag of reasoning. */
  hasReasoningTag: boolean
  /** Whether the lines are read at the left margin, although the block is in a list item. */
  isOutside: boolean
  /** The end of the block if no better end is found. */
  fallback?: Fallback
  /** Name of a Python file in the line above the fence. */
  readonly fileAbove?: string
  /** A tag instead of a fence above the block, which has no label, as a sentence. */
  readonly tagAbove?: string
  /** The first line that looks as if it was to close the block, as a sentence. */
  almostClosed?: string
}

/** An end of a block that may not be meant as one. */
interface Fallback {
  /** The line that is read next, counted from 0. */
  readonly position: number
  readonly codeLines: number
  /** A loose fence after a line of a program. The beginning of another block makes it a closing fence. */
  readonly loose?: LooseFence
  readonly closed: boolean
  /** Whether it ends the block only where the label of another block follows. */
  readonly needsAnother?: boolean
}

/** Cuts what was read ahead off a block that ends at its fallback. */
export function cutToFallback({ code }: OpenBlock, { codeLines, loose }: Fallback): void {
  code.length = codeLines
  if (loose !== undefined && loose.before !== '') code.push(loose.before)
}

/** The returned block. `infer`: whether a block without a label gets the language that its code reveals. */
export function toCodeBlock(block: OpenBlock, closed: boolean, infer: boolean): CodeBlock {
  const { line, fence, almostClosed, fileAbove, tagAbove } = block
  const code = withoutPrompts(block.code, block.language).join('\n')
  const language = block.language === '' && code !== '' && infer ? inferLanguage(code) : block.language
  const hasInner = fence.info !== '' && block.literals instanceof InnerFences && block.literals.hasInner
  const doubt = hasInner ? uncertainEnd : undefined
  const why = closed ? doubt : (almostClosed ?? doubt)
  return {
    ...{ language, code, line, info: fence.info, closed },
    ...(why === undefined ? {} : { almostClosed: why }),
    ...(tagAbove === undefined || (closed && language !== '') ? {} : { tagAbove }),
    ...(fileAbove === undefined ? {} : { fileAbove }),
  }
}

/** The prompts of interactive sessions: what the first line begins with, and what any of them may. */
const prompts: Readonly<Record<string, { readonly first: RegExp; readonly any: RegExp }>> = {
  python: { first: /^>>> /, any: /^(?:>>>|\.\.\.)(?: |$)/ },
  sh: { first: /^\$ /, any: /^\$(?: |$)/ },
  bash: { first: /^\$ /, any: /^\$(?: |$)/ },
}

/**
 * The lines of a labeled program without the prompts of an interactive session, if every line that is not blank has a
 * prompt: no program begins its lines like that. With a line of output among them, the lines stay unchanged, because
 * output looks like code.
 */
function withoutPrompts(lines: readonly string[], language: string): readonly string[] {
  const { first, any } = prompts[language] ?? {}
  if (first === undefined || any === undefined) return lines
  const firstLine = lines.find((line) => line.trim() !== '')
  if (firstLine === undefined || !first.test(firstLine)) return lines
  if (!lines.every((line) => line.trim() === '' || any.test(line))) return lines
  return lines.map((line) => line.replace(any, ''))
}
