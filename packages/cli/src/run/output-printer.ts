import { styleText } from 'node:util'
import type { CodeExecutor, ExecutionEvent } from '@fenced/core'
import { formatBytes, formatUsage, visible, visibleName } from '@fenced/errors/text'
import type { TerminalOutput } from '@fenced/shared'
import type { ChosenExecutor } from '../choose/choose-executor.ts'
import { executorText } from '../executor.ts'
import { write } from '../streams.ts'

interface OutputPrinterOptions {
  readonly isQuiet: boolean
  /** Whether files that programs make stay after the run. */
  readonly keepsFiles: boolean
  /** Whether each program's usage is printed. */
  readonly showsUsage: boolean
  /** What programs write to the terminal. */
  readonly output: TerminalOutput
  /** Whether each line of output has a margin in a terminal, because a question begins in the first column. */
  readonly hasMargin: boolean
}

/** Prints what programs print, each stream to its own, and what else there is to know on standard error. */
export class OutputPrinter {
  readonly #options: OutputPrinterOptions
  #blocks = 0

  constructor(options: OutputPrinterOptions) {
    this.#options = options
  }

  begin(executor: CodeExecutor, { reason }: ChosenExecutor): void {
    if (process.stderr.isTTY) void this.#note(`Code runs ${executorText(executor)}. ${reason}`)
  }

  async print(event: ExecutionEvent): Promise<void> {
    switch (event.type) {
      case 'block-start':
        this.#blocks = event.index + 1
        return
      case 'stdout':
        return this.#write('  > ', event.text)
      case 'stderr':
        return this.#write('  ! ', event.text)
      case 'result': {
        const shown = event.result['text/plain']
        if (typeof shown === 'string') await this.#write('  > ', `${shown}\n`)
        return
      }
      case 'notice':
        return this.#note(event.notice.message)
      case 'file': {
        const { path, change, sizeBytes } = event.file
        return this.#note(`${visibleName(path)} was ${change} (${formatBytes(sizeBytes)}).`)
      }
      case 'block-end':
        return this.#end(event)
      case 'execution-end':
        if (event.result.blocks.length === 0) await this.#note('There is no code block.')
        if (event.result.files.length > 0 && !this.#options.keepsFiles)
          await this.#note('These files were temporary: --work-dir keeps them.')
        await this.#endLine()
        return
    }
  }

  async #end({ index, result }: Extract<ExecutionEvent, { type: 'block-end' }>): Promise<void> {
    const { status, exitCode, block, usage = {} } = result
    if (status === 'skipped') return
    const name = `Block ${index + 1} of ${this.#blocks} (${visibleName(block.language)})`
    const end = status === 'error' ? `ended with exit code ${exitCode}` : `ended: ${status}`
    if (status !== 'ok') await this.#note(`${name} ${end}.`)
    if (this.#options.showsUsage)
      await this.#note(`${name} used ${formatUsage(usage) || 'an unknown amount'}.`)
  }

  /** A file or another program receives the output unchanged. A terminal would obey its escape sequences, so it only receives colors. */
  async #write(margin: '  > ' | '  ! ', text: string): Promise<void> {
    const stream = margin === '  > ' ? process.stdout : process.stderr
    if (!stream.isTTY) return write(stream, text)
    const { output, hasMargin } = this.#options
    const look = { colors: true, columns: stream.columns || 80 }
    await write(stream, output.add(hasMargin ? margin : '', text, look))
  }

  /** Later text in the terminal begins on a new line. */
  async #endLine(): Promise<void> {
    const end = this.#options.output.end()
    await write(process.stdout.isTTY ? process.stdout : process.stderr, end)
  }

  async #note(message: string): Promise<void> {
    if (this.#options.isQuiet) return
    await this.#endLine()
    await note(message)
  }
}

/** Prints a line on standard error, with its hidden characters as escapes. */
export async function note(message: string): Promise<void> {
  const { stderr } = process
  await write(stderr, `${styleText('dim', `fenced: ${visible(message)}`, { stream: stderr })}\n`)
}
