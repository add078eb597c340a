import type { BlockResult, CodeBlock, CodeResult, OutputFile } from '@fenced/core'
import picocolors from 'picocolors'
import { formatCount, formatDuration, formatSize } from './format.ts'
import { Margin } from './margin.ts'

// A file or a pipe gets none, in continuous integration either.
const colors = picocolors.createColors(picocolors.isColorSupported && process.stdout.isTTY === true)

/** How many lines of a program are shown. */
const shownLines = 8

export interface Plan {
  readonly title: string
  readonly where: string
  readonly workDir: string
  readonly timeoutMs: number
  readonly remark: string | undefined
  readonly blocks: readonly CodeBlock[]
}

/** What the person in front of the terminal sees. */
export class Screen {
  readonly #write: (text: string) => void
  readonly #output: Margin

  constructor(write: (text: string) => void) {
    this.#write = write
    this.#output = new Margin(write)
  }

  plan({ title, where, workDir, timeoutMs, remark, blocks }: Plan): void {
    this.#line(colors.bold('Fenced runs the code that a model wrote.'))
    this.#line()
    this.#line(`  answer  ${title}`)
    this.#line(`  blocks  ${blocks.map(({ language }) => language || 'no language').join(', ')}`)
    this.#line(`  where   ${where}`)
    this.#line(`  files   ${workDir}`)
    this.#line(`  limit   ${formatDuration(timeoutMs)} for each block`)
    if (remark !== undefined) this.#line(`  note    ${remark}`)
  }

  blockStart(index: number, total: number, { language, line, code, info }: CodeBlock): void {
    const inferred = language !== '' && info === '' ? ', as far as it looks' : ''
    const place = colors.dim(`line ${line}${inferred}`)
    this.#line()
    this.#line(`${colors.bold(`[${index + 1}/${total}] ${language || 'no language'}`)} ${place}`)
    const lines = code.split('\n')
    // Leaving out a single line would take as much room as the line.
    const shown = lines.length <= shownLines + 1 ? lines : lines.slice(0, shownLines)
    for (const text of shown) this.#line(colors.dim(`    ${text}`))
    const hidden = lines.length - shown.length
    if (hidden > 0) this.#line(colors.dim(`    ... ${formatCount(hidden, 'more line')}`))
    this.#line()
  }

  output(stream: 'stdout' | 'stderr', text: string): void {
    if (stream === 'stdout') this.#output.add(`  ${colors.cyan('>')} `, text)
    else this.#output.add(`  ${colors.yellow('!')} `, text)
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

  summary(result: CodeResult, blocks: readonly CodeBlock[]): void {
    this.#output.end()
    this.#line()
    this.#line(colors.bold('Summary'))
    for (const [index, block] of blocks.entries()) this.#line(summaryRow(index, block, result.blocks[index]))
    this.#line()
    this.#line(closingLine(result, blocks.length))
  }

  #line(text = ''): void {
    this.#write(`${text}\n`)
  }
}

function summaryRow(index: number, { language }: CodeBlock, result: BlockResult | undefined): string {
  const cells = [`  ${index + 1}`, (language || 'no language').padEnd(11)]
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
  return colors.red(`Block ${blocks.length} of ${total} ended with ${status}, exit code ${exitCode}.`)
}

function statusOf({ status }: BlockResult): string {
  if (status === 'ok') return colors.green(status)
  return status === 'skipped' ? colors.dim(status) : colors.red(status)
}

function fileLine({ path, sizeBytes, change }: OutputFile): string {
  return `${change} ${path} (${formatSize(sizeBytes)})`
}
