import type { CodeBlock } from '../code-block.ts'
import type { LanguageKind } from '../language/language.ts'
import { builtInLanguages, type LanguageTable, languageId } from '../language/language-table.ts'
import { BlockStructure } from './block-structure.ts'
import { closesFence, type Fence, fencedContent } from './fence.ts'
import { inferLanguage } from './infer-language.ts'
import { languageName } from './language-name.ts'
import { LineCursor } from './line-cursor.ts'
import { LineQueue } from './line-queue.ts'
import { LineSplitter } from './line-splitter.ts'
import { type LooseFence, looseFence, whyNotClosing } from './loose-fence.ts'
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

/** How many characters of a line are shown in a sentence about it. */
const MAX_SHOWN = 60

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
  /** Whether its label is one of a language that is run: only then a fence may be more or less than it seems. */
  readonly isProgram: boolean
  /** Line of the opening fence, counted from 1. */
  readonly line: number
  readonly code: string[]
  readonly construct: OpenConstruct | undefined
  /** Whether a line of the program begins with the opening tag of reasoning. */
  hasReasoningTag: boolean
  /** Whether the lines are read at the left margin, although the block stands in a list item. */
  isOutside: boolean
  /** Where the block ends if no better end is found. */
  fallback?: Fallback
  /** The first line that looks as if it was to close the block, as a sentence. */
  almostClosed?: string
}

/** An end of a block that may not be meant as one. */
interface Fallback {
  /** The line that is read next, counted from 0. */
  readonly position: number
  readonly codeLines: number
  /** A loose fence: a line of a program stands before it, and the beginning of another block decides for it. */
  readonly loose?: { readonly before: string }
  readonly closed: boolean
}

/**
 * Finds the fenced code blocks of a Markdown text while it arrives. A block is returned by the call that brings
 * the line ending of its closing fence. How the text is cut into chunks makes no difference.
 *
 * Which lines are code is CommonMark's answer (0.31, section 4.5), with exceptions for what models write. The first three
 * take the label of a language that is run; blocks whose language is only inferred keep to the book.
 *
 * - A closing fence inside a triple-quoted Python string or a shell heredoc is content if a later one finds nothing
 *   open, because then the program is writing Markdown itself. If no later one does, within the same container and
 *   the next 1000 lines, the first closed the block after all, and everything behind it is read again.
 * - A fence that is not alone on its line, behind the last line of code or before words, closes the block if nothing
 *   else does before another labelled block, the end, or the same 1000 lines; a tag behind it (`<end_code>`) decides.
 * - A list item's block goes on at the left margin if its first line of code stands there and a closing fence follows;
 *   and a closing fence there closes it.
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
    if (this.#block?.fallback === undefined) this.#lines.forget()
  }

  #readLines(): void {
    for (let line = this.#lines.read(); line !== undefined; line = this.#lines.read()) this.#read(line)
  }

  #read(text: string): void {
    const block = this.#block
    if (block === undefined) {
      this.#readOutside(text)
      return
    }
    const line = block.isOutside ? new LineCursor(text) : this.#structure.inside(text)
    if (line !== undefined && !this.#endsReasoning(block, text)) this.#readInside(block, line)
    else if (line === undefined && this.#goesOnOutside(block, text))
      this.#readInside(block, new LineCursor(text))
    else {
      // The line ended the block's container, or the reasoning around it, and has yet to be read for itself.
      if (line === undefined)
        block.almostClosed ??= this.#describe(
          text,
          'it stands outside of the list item or quote of the block and ends it',
        )
      this.#lines.goBack(this.#lines.position - 1)
      this.#leave(block)
    }
  }

  /** Whether a line outside of a list item belongs to the block in it: its first code, or its closing fence. */
  #goesOnOutside(block: OpenBlock, text: string): boolean {
    if (!block.isProgram || this.#reasoning.open || this.#structure.inQuote || text.trim() === '')
      return false
    if (!block.construct?.open && closesFence(block.fence, new LineCursor(text))) return true
    if (block.fallback !== undefined || block.code.some((line) => line.trim() !== '')) return false
    block.fallback = { position: this.#lines.position - 1, codeLines: block.code.length, closed: false }
    block.almostClosed = this.#describe(text, 'it stands outside of the list item of the block and ends it')
    block.isOutside = true
    return true
  }

  #readOutside(text: string): void {
    const fence = this.#structure.read(this.#withoutReasoning(text))
    if (fence === undefined) return
    const label = languageName(fence.info)
    const language = languageId(label, this.#options.languages)
    this.#block = {
      fence,
      language,
      isProgram: this.#kindOf(label) === 'run',
      line: this.#lines.position,
      code: [],
      construct: openConstruct(language),
      hasReasoningTag: false,
      isOutside: false,
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
    const isClosing = closesFence(block.fence, line)
    const isOpen = block.construct?.open === true
    if (isClosing && !isOpen) {
      this.#finish(block, true)
      return
    }
    const content = block.isOutside ? line.rest : fencedContent(block.fence, line)
    if (isClosing) block.fallback ??= this.#fallback(block)
    else if (!isOpen && this.#endsLoosely(block, content)) return
    block.code.push(content)
    block.construct?.next(content)
    if (block.fallback !== undefined && !this.#mayLookAhead(block.fallback.position)) this.#leave(block)
  }

  /** Notes what looks like a closing fence and is none; whether the block has ended with it. */
  #endsLoosely(block: OpenBlock, content: string): boolean {
    if (!content.includes(block.fence.marker) && !/^\s*[`~]{3}/.test(content)) return false
    const why = whyNotClosing(block.fence, content)
    if (why !== undefined) block.almostClosed ??= this.#describe(content, why)
    const loose = block.isProgram ? looseFence(block.fence, content) : undefined
    if (loose === undefined) return false
    const opensAnother = this.#kindOf(languageName(loose.behind)) !== undefined
    if (opensAnother && (block.fallback?.loose !== undefined || block.isOutside)) {
      this.#leave(block)
      return true
    }
    if (opensAnother) return false
    block.fallback ??= this.#fallback(block, loose)
    if (!/^<[^<>]+>$/.test(loose.behind) || block.fallback.loose !== loose) return false
    this.#leave(block)
    return true
  }

  #fallback({ code }: OpenBlock, loose?: LooseFence): Fallback {
    return {
      position: this.#lines.position,
      codeLines: code.length,
      closed: true,
      ...(loose === undefined ? {} : { loose }),
    }
  }

  #kindOf(label: string): LanguageKind | undefined {
    return (this.#options.languages ?? builtInLanguages).find(label)?.kind
  }

  /** A line for a sentence about it. */
  #describe(text: string, why: string): string {
    const line = text.trim()
    const shown = line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}...` : line
    return `Line ${this.#lines.position}, \`\` ${shown} \`\`, does not close it: ${why}.`
  }

  /** Ends a block for which no closing fence was found, or only a fallback. */
  #leave(block: OpenBlock): void {
    const { fallback } = block
    if (fallback !== undefined) {
      this.#lines.goBack(fallback.position)
      block.code.length = fallback.codeLines
      if (fallback.loose !== undefined && fallback.loose.before !== '') block.code.push(fallback.loose.before)
    }
    this.#finish(block, fallback?.closed === true)
  }

  #finish(block: OpenBlock, closed: boolean): void {
    this.#block = undefined
    if (this.#reasoning.open) return
    const { line, fence } = block
    const code = withoutPrompts(block.code, block.language).join('\n')
    const infer = block.language === '' && code !== '' && this.#options.inferLanguage !== false
    const language = infer ? inferLanguage(code) : block.language
    const reason = closed || block.almostClosed === undefined ? {} : { almostClosed: block.almostClosed }
    this.#found.push({ language, code, line, info: fence.info, closed, ...reason })
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
