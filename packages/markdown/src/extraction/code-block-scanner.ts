import { shortened } from '@fenced/errors/text'
import type { CodeBlock } from '../code-block.ts'
import { builtInLanguages, languageId, languageName } from '../language/language-table.ts'
import type { LanguageKind } from '../language/languages.ts'
import { BlockStructure } from './commonmark.ts'
import { checkExtractOptions, type ExtractOptions } from './extract-options.ts'
import { closesFence, fencedContent, looseFence, whyNotClosing, withoutUnseen } from './fence.ts'
import { HeldDocument, InnerFences } from './inner-fences.ts'
import { LineCursor, LineQueue, LineSplitter } from './lines.ts'
import { LinesAbove } from './lines-above.ts'
import { multilineLiterals } from './multiline-literals.ts'
import { cutToFallback, type OpenBlock, toCodeBlock } from './open-block.ts'
import { Reasoning } from './reasoning.ts'

/** The number of characters of a line in a sentence about it. */
const MAX_SHOWN = 60

/**
 * Finds the fenced code blocks in Markdown text as it arrives. A block is returned by the call that receives the line ending of
 * its closing fence. A Markdown document is held back until the next line arrives or, if that line is text, until the next fence.
 * The result does not depend on how the text is split into chunks.
 *
 * CommonMark (0.31, section 4.5) decides which lines are code, with exceptions for common habits of models. The first three
 * exceptions apply only to blocks labeled with a language that runs; blocks with an inferred language follow CommonMark.
 *
 * - A closing fence inside a triple-quoted Python string or a shell heredoc is content if nothing is open at a later closing
 *   fence, because the program is then writing Markdown itself. If there is no such fence in the same container within the next
 *   1000 lines, the first fence did close the block, and everything after it is read again.
 * - The same applies to a fence after a labeled fence inside a Markdown document whose own fence is not longer.
 * - A fence on the same line as the last line of code, or as other words, closes the block if nothing else does before another
 *   labeled block, the end of the text, or the same 1000 lines. A tag after the fence (`<end_code>`) closes the block
 *   immediately. A block that contains data or has no label ends there only before another labeled block.
 * - A list item's block continues at the left margin if its first line of code is at the margin and a closing fence follows. A
 *   closing fence at the margin closes it.
 * - A fence directly after a line that contains only a tag (`<answer>`, `<details>`, `<br>`) opens a block.
 *
 * Blocks inside a model's reasoning (`<think>` to `</think>`) are not returned. Set `startsInReasoning` for models whose chat
 * template writes the opening tag. Once a block has been returned, later lines cannot retract it.
 *
 * A scanner reads a single text. Create a new scanner for each text.
 */
export class CodeBlockScanner {
  readonly #options: ExtractOptions
  readonly #splitter = new LineSplitter()
  readonly #lines = new LineQueue()
  readonly #reasoning: Reasoning
  readonly #above = new LinesAbove()
  #structure = new BlockStructure()
  #block: OpenBlock | undefined
  #found: CodeBlock[] = []
  /** A Markdown document whose closing fence may be the beginning of a block in it, until the next lines decide. */
  #held: HeldDocument | undefined
  /** Whether the line above ends in the middle of a sentence. */
  #isInSentence = false

  constructor(options: ExtractOptions = {}) {
    this.#options = checkExtractOptions(options)
    this.#reasoning = new Reasoning(options)
  }

  /** Reads the next chunk of text and returns the blocks that it completed. */
  push(chunk: string): CodeBlock[] {
    for (const line of this.#splitter.push(chunk)) this.#arrive(line)
    return this.#takeFound()
  }

  /** Marks the end of the text and returns the remaining blocks. A block without a closing fence has `closed: false`. */
  end(): CodeBlock[] {
    for (const line of this.#splitter.end()) this.#arrive(line)
    while (this.#block !== undefined) {
      this.#leave(this.#block)
      this.#readLines()
    }
    this.#held = undefined
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

  #read(written: string): void {
    const block = this.#block
    if (block === undefined) {
      this.#readOutside(written)
      return
    }
    const plain = block.ignoresUnseen ? withoutUnseen(written) : undefined
    const isClosing = plain !== undefined && this.#closes(block, plain)
    // In a string of the program, the characters are the program's.
    const text = isClosing && !block.literals?.open ? plain : written
    const line = block.isOutside ? new LineCursor(text) : this.#structure.inside(text)
    if (line !== undefined && !this.#endsReasoning(block, text)) this.#readInside(block, line, isClosing)
    else if (line === undefined && this.#continuesOutside(block, text))
      this.#readInside(block, new LineCursor(text), isClosing)
    else {
      // The line ended the block's container, or the reasoning around it, and has yet to be read for itself.
      if (line === undefined)
        block.almostClosed ??= this.#describe(
          text,
          'it is outside the block’s list item or quote and ends it',
        )
      this.#lines.goBack(this.#lines.position - 1)
      this.#leave(block)
    }
  }

  /** Whether a line outside of a list item belongs to the block in it: its first code, or its closing fence. */
  #continuesOutside(block: OpenBlock, text: string): boolean {
    if (!block.isProgram || this.#reasoning.open || this.#structure.inQuote || text.trim() === '')
      return false
    if (!block.literals?.open && closesFence(block.fence, new LineCursor(text))) return true
    if (block.fallback !== undefined || block.code.some((line) => line.trim() !== '')) return false
    block.fallback = { position: this.#lines.position - 1, codeLines: block.code.length, closed: false }
    block.almostClosed = this.#describe(text, 'it is outside the block’s list item and ends it')
    block.isOutside = true
    return true
  }

  #readOutside(written: string): void {
    const plain = withoutUnseen(written)
    const text = plain ?? written
    const fence = this.#structure.read(this.#withoutReasoning(text))
    this.#isInSentence = this.#structure.inParagraph && !/[.!?:;…]["')\]*_]*\s*$/.test(text)
    if (this.#held?.isDecided(text, fence) === true) this.#held = undefined
    if (fence === undefined) {
      this.#above.read(text, this.#lines.position)
      return
    }
    const label = languageName(fence.info)
    const language = languageId(label, this.#options.languages)
    const isProgram = this.#kindOf(label) === 'run'
    this.#block = {
      fence,
      language,
      isProgram,
      line: this.#lines.position,
      code: [],
      literals: language === 'markdown' ? new InnerFences(fence) : multilineLiterals(language),
      ignoresUnseen: isProgram || plain !== undefined,
      hasReasoningTag: false,
      isOutside: false,
      ...this.#above.hintsFor(fence),
    }
  }

  /** The line. Where reasoning begins or ends in it, the text after that marker, as the first line of the following text. */
  #withoutReasoning(text: string): string {
    if (!this.#reasoning.open && this.#structure.inRawHtml) return text
    const above = { isParagraph: this.#structure.inParagraph, isSentence: this.#isInSentence }
    const behind = this.#reasoning.read(text, above)
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

  #closes(block: OpenBlock, text: string): boolean {
    return closesFence(block.fence, this.#structure.inside(text) ?? new LineCursor(text))
  }

  #readInside(block: OpenBlock, line: LineCursor, closesIfPlain: boolean): void {
    const isClosing = closesIfPlain || closesFence(block.fence, line)
    const isOpen = block.literals?.open === true
    if (isClosing && !isOpen) {
      this.#finish(block, true)
      return
    }
    const content = block.isOutside ? line.rest : fencedContent(block.fence, line)
    if (isClosing)
      block.fallback ??= { position: this.#lines.position, codeLines: block.code.length, closed: true }
    else if (!isOpen && this.#endsLoosely(block, content)) return
    block.code.push(content)
    block.literals?.next(content)
    if (block.fallback === undefined || this.#lines.mayReadAgain(block.fallback.position)) return
    if (block.fallback.needsAnother) delete block.fallback
    else this.#leave(block)
  }

  /** Notes what looks like a closing fence and is none; whether the block has ended with it. */
  #endsLoosely(block: OpenBlock, content: string): boolean {
    if (!content.includes(block.fence.marker) && !/^\s*(?:[`~]{3}|<\/)/.test(content)) return false
    const why = whyNotClosing(block.fence, content)
    if (why !== undefined) block.almostClosed ??= this.#describe(content, why)
    const loose = looseFence(block.fence, content)
    if (loose === undefined) return false
    const opensAnother = this.#kindOf(languageName(loose.behind)) !== undefined
    if (opensAnother && (block.fallback?.loose !== undefined || block.isOutside)) {
      this.#leave(block, { opensAnother })
      return true
    }
    if (opensAnother) return false
    // Nothing but invisible characters makes it another fence.
    const needsAnother = !block.isProgram && loose.before + loose.behind !== ''
    block.fallback ??= {
      position: this.#lines.position,
      codeLines: block.code.length,
      loose,
      closed: true,
      needsAnother,
    }
    if (needsAnother || !/^<[^<>]+>$/.test(loose.behind) || block.fallback.loose !== loose) return false
    this.#leave(block)
    return true
  }

  #kindOf(label: string): LanguageKind | undefined {
    return (this.#options.languages ?? builtInLanguages).find(label)?.kind
  }

  /** A line for a sentence about it. */
  #describe(text: string, why: string): string {
    const line = text.trim()
    const shown = shortened(line, MAX_SHOWN)
    return `Line ${this.#lines.position}, \`\` ${shown} \`\`, does not close it: ${why}.`
  }

  /** Ends a block for which no closing fence was found, or only a fallback. */
  #leave(block: OpenBlock, { opensAnother = false } = {}): void {
    const fallback = block.fallback?.needsAnother && !opensAnother ? undefined : block.fallback
    if (fallback !== undefined) {
      this.#lines.goBack(fallback.position)
      cutToFallback(block, fallback)
    }
    this.#finish(block, fallback?.closed === true)
  }

  #finish(block: OpenBlock, closed: boolean): void {
    this.#block = undefined
    if (this.#reasoning.open) return
    const found = toCodeBlock(block, closed, this.#options.inferLanguage !== false)
    this.#found.push(found)
    if (closed && block.literals instanceof InnerFences) this.#held = new HeldDocument(found)
  }

  #takeFound(): CodeBlock[] {
    if (this.#held !== undefined) return []
    const found = this.#found
    this.#found = []
    return found
  }
}
