import { once } from 'node:events'
import { visible } from '@fenced/agents'
import type { BlockResult, CodeBlock, CodeResult, MimeBundle, OutputFile } from '@fenced/core'
import { colors } from '../terminal/colors.ts'
import { type Fact, factLines, widthOf } from '../terminal/facts.ts'
import { formatCount, formatDuration, formatSize } from '../terminal/format.ts'
import { pictureProtocol, type ShowPicture } from '../terminal/terminal-picture.ts'
import { Margin } from './margin.ts'
import type { Answer } from './read-answer.ts'

/** How many lines of a program are shown. */
const shownLines = 8

/** What the person in front of the terminal sees of an answer that is run. */
export class AnswerScreen {
  readonly #terminal: NodeJS.WriteStream
  readonly #output: Margin
  readonly #showPicture: ShowPicture | undefined

  constructor(terminal: NodeJS.WriteStream) {
    this.#terminal = terminal
    this.#output = new Margin((text) => this.#write(text))
    this.#showPicture = pictureProtocol(terminal, process.env)
  }

  /** Waits until what was written has been taken, so that a chatty program cannot fill the memory. */
  async drained(signal: AbortSignal): Promise<void> {
    if (this.#terminal.writableNeedDrain) await once(this.#terminal, 'drain', { signal }).catch(() => {})
  }

  plan({ title, blocks }: Answer, place: readonly Fact[]): void {
    const names = blocks.map(({ language }) => nameOf(language)).join(', ')
    this.#line(colors.bold('Fenced runs the code that a model wrote.'))
    this.#line()
    this.#write(factLines([['answer', visible(title)], ['blocks', names], ...place], widthOf(this.#terminal)))
  }

  /** All of them, whole: what is not run can only be read. */
  programs(blocks: readonly CodeBlock[]): void {
    for (const [index, block] of blocks.entries()) {
      this.#title(index, blocks.length, block)
      for (const text of block.code.split('\n')) this.#line(colors.dim(programLine(text).trimEnd()))
    }
    this.#line()
  }

  blockStart(index: number, total: number, block: CodeBlock): void {
    this.#title(index, total, block)
    const lines = block.code.split('\n')
    // Leaving out a single line would take as much room as the line.
    const shown = lines.length <= shownLines + 1 ? lines : lines.slice(0, shownLines)
    for (const text of shown) this.#line(colors.dim(this.#cut(programLine(text))))
    const hidden = lines.length - shown.length
    if (hidden > 0) this.#line(colors.dim(`    ... ${formatCount(hidden, 'more line')}`))
    this.#line()
  }

  output(stream: 'stdout' | 'stderr', text: string): void {
    if (stream === 'stdout') this.#output.add(`  ${colors.cyan('>')} `, text)
    else this.#output.add(`  ${colors.yellow('!')} `, text)
  }

  /** A picture where the terminal can show one; its file is named at the end of the block in any case. */
  result(result: MimeBundle): void {
    const { 'image/png': png, 'text/plain': text } = result
    if (typeof png === 'string') {
      if (this.#showPicture === undefined) return
      this.#output.end()
      this.#line(this.#showPicture(png))
    } else if (typeof text === 'string') {
      this.output('stdout', `${text}\n`)
    }
  }

  notice(message: string): void {
    this.#output.add(`  ${colors.dim('-')} `, `${message}\n`)
  }

  blockEnd(result: BlockResult): void {
    this.#output.end()
    if (result.status === 'skipped') return
    const code = result.status === 'ok' ? '' : `, exit code ${result.exitCode}`
    const parts = [
      `${statusOf(result)}${code}`,
      formatDuration(result.durationMs),
      ...result.files.map(fileLine),
    ]
    this.#line(`  = ${parts.join(colors.dim(' | '))}`)
  }

  summary(result: CodeResult, blocks: readonly CodeBlock[], workDir: string | undefined): void {
    this.#output.end()
    this.#line()
    this.#line(colors.bold('Summary'))
    for (const [index, block] of blocks.entries()) this.#line(summaryRow(index, block, result.blocks[index]))
    this.#line()
    this.#line(closingLine(result, blocks.length))
    if (result.files.length > 0 && workDir !== undefined)
      this.#line(colors.dim(`What it made stays in ${workDir}`))
  }

  #title(index: number, total: number, { language, line, info }: CodeBlock): void {
    const inferred = language !== '' && info === '' ? ' (inferred)' : ''
    const place = colors.dim(`${inferred}, line ${line}`)
    this.#line()
    this.#line(`${colors.bold(`[${index + 1}/${total}] ${nameOf(language)}`)}${place}`)
  }

  /** A program's long lines are of less use than one screen line for each. */
  #cut(text: string): string {
    const width = this.#terminal.columns ?? 80
    const characters = [...text.trimEnd()]
    return characters.length <= width ? characters.join('') : `${characters.slice(0, width - 3).join('')}...`
  }

  #line(text = ''): void {
    this.#write(`${text}\n`)
  }

  #write(text: string): void {
    if (this.#terminal.writable) this.#terminal.write(text)
  }
}

function programLine(text: string): string {
  return `    ${visible(text).replaceAll('\t', '    ')}`
}

function summaryRow(index: number, { language }: CodeBlock, result: BlockResult | undefined): string {
  const cells = [`  ${index + 1}`, nameOf(language).padEnd(11)]
  if (result === undefined) return [...cells, colors.dim('not run')].join('  ')
  const status = statusOf(result) + ' '.repeat(Math.max(0, 13 - result.status.length))
  const duration = (result.status === 'skipped' ? '' : formatDuration(result.durationMs)).padStart(8)
  return [...cells, status, duration, result.files.map(fileLine).join(', ')].join('  ').trimEnd()
}

function closingLine({ status, exitCode, blocks, files }: CodeResult, total: number): string {
  const ran = blocks.filter((block) => block.status !== 'skipped').length
  if (status === 'ok') {
    const made = files.length === 0 ? '' : ` and made ${formatCount(files.length, 'file')}`
    return colors.green(
      ran === 0 ? 'Nothing was to be run.' : `${formatCount(ran, 'block')} ran well${made}.`,
    )
  }
  if (status === 'cancelled') return colors.red('Cancelled.')
  if (status === 'denied') return colors.red('Denied: nothing was run.')
  return colors.red(`Block ${blocks.length} of ${total} ended with ${status}, exit code ${exitCode}.`)
}

function nameOf(language: string): string {
  return visible(language) || 'no language'
}

function statusOf({ status }: BlockResult): string {
  if (status === 'ok') return colors.green(status)
  return status === 'skipped' ? colors.dim(status) : colors.red(status)
}

function fileLine({ path, sizeBytes, change }: OutputFile): string {
  return `${change} ${visible(path)} (${formatSize(sizeBytes)})`
}
