import type { CodeBlock } from '../code-block.ts'
import { type LanguageTable, languageId } from '../language/language-table.ts'
import { BlockStructure } from './block-structure.ts'
import { closesFence, type Fence, fencedContent } from './fence.ts'
import { inferLanguage } from './infer-language.ts'
import { languageName } from './language-name.ts'
import type { LineCursor } from './line-cursor.ts'
import { LineQueue } from './line-queue.ts'
import { LineSplitter } from './line-splitter.ts'
import { type OpenConstruct, openConstruct } from './open-construct.ts'
import { withoutPrompts } from './prompts.ts'
import { Reasoning } from './reasoning.ts'

/** How code blocks are read. */
export interface ExtractOptions {
  /** Where the names behind the fences are looked up. Default: the built-in table. */
  readonly languages?: LanguageTable
  /** Whether a block without a name gets the language that its code gives away. Default: `true`. */
  readonly inferLanguage?: boolean
  /**
   * Names of the tags around a model's reasoning, in which blocks are drafts and not returned. An empty list returns all
   * blocks. Default: `think`, `thinking`, `thought`.
   */
  readonly reasoningTags?: readonly string[]
}

/** How many lines a doubtful closing fence may hold a block back while the text is streaming. */
const MAX_LOOK_AHEAD_LINES = 1000

/**
 * How many characters may be read again: so many, and so many for each one of the text. When they are used up no
 * fence is doubtful any more. Keeps the whole linear where one doubtful fence follows another.
 */
const READ_AGAIN = { free: 100_000, perCharacter: 4 }

/** A block whose end has not been found. */
interface OpenBlock {
  readonly fence: Fence
  readonly language: string
  /** Line of the opening fence, counted from 1. */
  readonly line: number
  readonly code: string[]
  readonly construct: OpenConstruct | undefined
  /** Whether a line of the program begins with the opening tag of reasoning. */
  hasReasoningTag: boolean
  /** The first closing fence at which the program had something open: where the block ends if no later one fits. */
  doubtful?: { readonly position: number; readonly codeLines: number }
}

/**
 * Finds the fenced code blocks of a Markdown text while it arrives. A block is returned by the call that brings
 * the line ending of its closing fence. How the text is cut into chunks makes no difference.
 *
 * Which lines are code is CommonMark's answer (0.31, section 4.5) with two exceptions:
 *
 * - A closing fence inside a triple-quoted Python string or a shell heredoc is content if a later one finds nothing
 *   open, because then the program is writing Markdown itself. If no later one does, within the same container and
 *   the next 1000 lines, the first closed the block after all, and everything behind it is read again. It takes a
 *   label: no fence is doubtful in a block whose language is only inferred.
 * - A fence directly behind a tag that stands alone on its line (`<answer>`, `<details>`, `<br>`) opens a block.
 *
 * Blocks inside a model's reasoning (`<think>` to `</think>`) are not returned. Where the opening tag is missing, as with
 * models whose chat template writes it, a stream shows only at `</think>` that what came before was reasoning:
 * {@link CodeBlockScanner.reasoningEnd} is the line of that tag. Code that must not be run twice waits for the end of the
 * text, or the scanner is given `<think>\n` before the stream of such a model.
 *
 * A scanner reads one text; take a new one for the next.
 */
export class CodeBlockScanner {
  readonly #options: ExtractOptions
  readonly #splitter = new LineSplitter()
  readonly #lines = new LineQueue()
  readonly #reasoning: Reasoning
  #structure = new BlockStructure()
  #block: OpenBlock | undefined
  #found: CodeBlock[] = []

  constructor(options: ExtractOptions = {}) {
    this.#options = options
    this.#reasoning = new Reasoning(options.reasoningTags)
  }

  /**
   * Number of the line with the last `</think>` that no `<think>` precedes; 0 without one. What stands above it was
   * reasoning, so blocks that have been returned from there were drafts.
   */
  get reasoningEnd(): number {
    return this.#reasoning.endLine
  }

  /** Reads the next piece of the text and returns the blocks that it completed. */
  push(chunk: string): CodeBlock[] {
    for (const line of this.#splitter.push(chunk)) this.#arrive(line)
    return this.#takeFound()
  }

  /** Ends the text and returns the remaining blocks; one whose closing fence is missing has `closed: false`. */
  end(): CodeBlock[] {
    for (const line of this.#splitter.end()) this.#arrive(line)
    while (this.#block !== undefined) {
      this.#leave(this.#block)
      this.#readLines()
    }
    return this.#takeFound()
  }

  #arrive(line: string): void {
    this.#lines.add(line)
    this.#readLines()
    if (this.#block?.doubtful === undefined) this.#lines.forget()
  }

  #readLines(): void {
    for (let line = this.#lines.read(); line !== undefined; line = this.#lines.read()) this.#read(line)
  }

  #read(text: string): void {
    const block = this.#block
    const line = block && this.#structure.inside(text)
    if (block === undefined) this.#readOutside(text)
    else if (line !== undefined && !this.#endsReasoning(block, text)) this.#readInside(block, line)
    else {
      // The line ended the block's container, or the reasoning around it, and has yet to be read for itself.
      this.#lines.goBack(this.#lines.position - 1)
      this.#leave(block)
    }
  }

  #readOutside(text: string): void {
    const fence = this.#structure.read(this.#withoutReasoning(text))
    if (fence === undefined) return
    const language = languageId(languageName(fence.info), this.#options.languages)
    this.#block = {
      fence,
      language,
      line: this.#lines.position,
      code: [],
      construct: openConstruct(language),
      hasReasoningTag: false,
    }
  }

  /** The line, or where reasoning begins or ends in it what stands behind that, as the first line of what follows. */
  #withoutReasoning(text: string): string {
    if (!this.#reasoning.open && this.#structure.inRawHtml) return text
    const behind = this.#reasoning.read(text, this.#lines.position)
    if (behind === undefined) return text
    // What a draft left open must not swallow the answer.
    this.#structure = new BlockStructure()
    return behind
  }

  /** In a draft that is not closed, `</think>` ends the reasoning, unless the draft has the `<think>` to it. */
  #endsReasoning(block: OpenBlock, text: string): boolean {
    if (!this.#reasoning.open) return false
    block.hasReasoningTag ||= this.#reasoning.startsWith('opening', text)
    return !block.hasReasoningTag && this.#reasoning.startsWith('closing', text)
  }

  #readInside(block: OpenBlock, line: LineCursor): void {
    const closes = closesFence(block.fence, line)
    if (closes && !block.construct?.open) {
      this.#finish(block, true)
      return
    }
    if (closes) block.doubtful ??= { position: this.#lines.position, codeLines: block.code.length }
    const content = fencedContent(block.fence, line)
    block.code.push(content)
    block.construct?.next(content)
    if (block.doubtful !== undefined && !this.#mayLookAhead(block.doubtful.position)) this.#leave(block)
  }

  /** Ends a block for which no closing fence was found, or only a doubtful one. */
  #leave(block: OpenBlock): void {
    if (block.doubtful !== undefined) {
      this.#lines.goBack(block.doubtful.position)
      block.code.length = block.doubtful.codeLines
    }
    this.#finish(block, block.doubtful !== undefined)
  }

  #finish(block: OpenBlock, closed: boolean): void {
    this.#block = undefined
    if (this.#reasoning.open) return
    const { line, fence } = block
    const code = withoutPrompts(block.code, block.language).join('\n')
    const infer = block.language === '' && code !== '' && this.#options.inferLanguage !== false
    const language = infer ? inferLanguage(code) : block.language
    this.#found.push({ language, code, line, info: fence.info, closed })
  }

  #mayLookAhead(from: number): boolean {
    const { position, charactersAdded, charactersReadAgain } = this.#lines
    return (
      position - from <= MAX_LOOK_AHEAD_LINES &&
      charactersReadAgain <= READ_AGAIN.free + READ_AGAIN.perCharacter * charactersAdded
    )
  }

  #takeFound(): CodeBlock[] {
    const found = this.#found
    this.#found = []
    return found
  }
}
