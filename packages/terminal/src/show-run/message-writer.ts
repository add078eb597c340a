import { endsWithTermination } from '@fenced/agents/termination'
import { type CodeBlock, CodeBlockScanner } from '@fenced/core'
import { languageId } from '@fenced/markdown'
import type { Theme } from '../console/theme.ts'
import { codeLines, type Program, type ProgramList } from './program-list.ts'
import { ProseWriter } from './prose-writer.ts'

/** What a line may begin with before it is known whether it opens a fence, or ends the conversation. */
const undecided =
  /^(?:\s|[>*+-]|\d+[.)])*(?:[`~]|[*_]*T(?:E|ER|ERM|ERMI|ERMIN|ERMINA|ERMINAT|ERMINATE\W*)?$|$)/
const openingFence = /^((?:\s|[>*+-]|\d+[.)])*)(?:`{3,}|~{3,})\s*\{?\.?([\w+#-]*)[^`]*$/

/** A line is highlighted behind this many lines: behind all of them, a long program would take time by the square of its length. */
const linesOfContext = 200

interface OpenProgram {
  readonly program: Program
  readonly indent: string
  readonly lines: string[]
  /**
   * Prints lines as they arrive. Without this, a program is printed when it is complete: it may be a new version of an earlier
   * program.
   */
  isLive: boolean
}

/** Writes a message that comes in pieces: prose, and programs with a number. */
export class MessageWriter {
  readonly #programs: ProgramList
  readonly #theme: Theme
  readonly #scanner = new CodeBlockScanner()
  #prose: ProseWriter
  #open: OpenProgram | undefined
  #lineNumber = 0
  /** The line at hand, and how much of it was given to the prose. */
  #line = ''
  #written = 0
  /** Where the cursor is: in a line of prose, or at the beginning of a line. */
  #state: 'begin' | 'prose' | 'below' = 'begin'

  constructor(programs: ProgramList, theme: Theme) {
    this.#programs = programs
    this.#theme = theme
    this.#prose = new ProseWriter(theme)
  }

  push(text: string): string {
    const lines = text.replaceAll('\r\n', '\n').split('\n')
    const rest = lines.pop() ?? ''
    let shown = ''
    for (const line of lines) shown += this.#endLine(`${this.#line}${line}`)
    this.#line += rest
    if (this.#open !== undefined || undecided.test(this.#line)) return shown
    return `${shown}${this.#proseText(this.#restOfLine())}`
  }

  /** Ends the message; what is shown ends with a line break. */
  end(): string {
    return `${this.#endLine(this.#line, true)}${this.#endProse()}`
  }

  #endLine(line: string, isLast = false): string {
    this.#lineNumber++
    this.#line = line
    const blocks = isLast
      ? [...this.#scanner.push(line), ...this.#scanner.end()]
      : this.#scanner.push(`${line}\n`)
    const isCode =
      this.#open !== undefined && (blocks.length === 0 || (blocks[0]?.closed === false && line !== ''))
    let shown = this.#open === undefined ? this.#outside(line) : isCode ? this.#inside(line) : ''
    for (const block of blocks) shown += this.#finish(block)
    this.#line = ''
    this.#written = 0
    return shown
  }

  #outside(line: string): string {
    const [, indent, name] = this.#written === 0 ? (openingFence.exec(line) ?? []) : []
    if (indent === undefined || name === undefined) {
      const isLastWord = this.#written === 0 && line.trim() !== '' && endsWithTermination(line)
      return isLastWord ? '' : this.#proseText(`${this.#restOfLine()}\n`)
    }
    const shown = this.#endProse()
    const program = this.#programs.add({ language: languageId(name), code: '', line: this.#lineNumber })
    const isLive = name !== '' && this.#programs.before(program, []) === undefined
    this.#open = { program, indent: indent.replaceAll(/\S/g, ' '), lines: [], isLive }
    const space = this.#state === 'begin' ? '' : '\n'
    this.#state = 'below'
    return `${shown}${space}${isLive ? this.#programs.title(program, this.#theme) : ''}`
  }

  #inside(line: string): string {
    const open = this.#open
    if (open === undefined) return ''
    const { program, indent, lines } = open
    lines.push(line.startsWith(indent) ? line.slice(indent.length) : line.trimStart())
    if (open.isLive) return this.#lastLine(open)
    const isOther = lines.length >= 2 && this.#programs.before(program, lines.slice(0, 2)) === undefined
    if (program.language === '' || !isOther) return ''
    open.isLive = true
    const text = codeLines(lines.join('\n'), program.language, this.#theme).join('')
    return `${this.#programs.title(program, this.#theme)}${text}`
  }

  #lastLine({ program, lines }: OpenProgram): string {
    const context = lines.slice(-linesOfContext).join('\n')
    return codeLines(context, program.language, this.#theme).at(-1) ?? ''
  }

  /** The scanner has found a block: the current block, or a block that did not look like it. */
  #finish(block: CodeBlock): string {
    const { language, code } = block
    const open = this.#open
    this.#open = undefined
    if (open === undefined)
      return this.#endProse() + this.#programs.text(this.#programs.add(block), this.#theme)
    const { program, isLive, lines } = open
    program.code = code
    program.language = languageId(language)
    // It was read in another way than it was shown.
    if (isLive && lines.join('\n').trimEnd() === code.trimEnd()) return ''
    return this.#programs.text(program, this.#theme)
  }

  #restOfLine(): string {
    const rest = this.#line.slice(this.#written)
    this.#written = this.#line.length
    return rest
  }

  #proseText(text: string): string {
    return this.#shown(this.#prose.push(text))
  }

  /** Ends the line of prose at hand. */
  #endProse(): string {
    const shown = this.#shown(this.#prose.end())
    this.#prose = new ProseWriter(this.#theme)
    if (this.#state !== 'prose') return shown
    this.#state = 'below'
    return `${shown}\n`
  }

  #shown(prose: string): string {
    if (prose === '') return ''
    const space = this.#state === 'below' ? '\n' : ''
    this.#state = 'prose'
    return `${space}${prose}`
  }
}
