import { styleText } from 'node:util'
import type { CodeExecutor, ExecutionEvent } from '@fenced/core'
import { formatBytes, visible, visibleName } from '@fenced/core/text'
import type { ChosenExecutor } from '../choose/choose-executor.ts'
import { executorText } from '../executor.ts'
import { write } from '../streams.ts'

/** Prints what programs print, each stream to its own, and what else there is to know on standard error. */
export class OutputPrinter {
  readonly #isQuiet: boolean
  readonly #keepsFiles: boolean
  #blocks = 0

  /** @param options - `keepsFiles`: whether files that programs make stay after the run. */
  constructor({ isQuiet, keepsFiles }: { readonly isQuiet: boolean; readonly keepsFiles: boolean }) {
    this.#isQuiet = isQuiet
    this.#keepsFiles = keepsFiles
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
        return write(process.stdout, event.text)
      case 'stderr':
        return write(process.stderr, event.text)
      case 'result': {
        const shown = event.result['text/plain']
        if (typeof shown === 'string') await write(process.stdout, `${shown}\n`)
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
        if (event.result.files.length > 0 && !this.#keepsFiles)
          await this.#note('These files were temporary: --work-dir keeps them.')
        return
    }
  }

  async #end({ index, result }: Extract<ExecutionEvent, { type: 'block-end' }>): Promise<void> {
    const { status, exitCode, block } = result
    if (status === 'ok' || status === 'skipped') return
    const end = status === 'error' ? `ended with exit code ${exitCode}` : `ended: ${status}`
    await this.#note(`Block ${index + 1} of ${this.#blocks} (${visibleName(block.language)}) ${end}.`)
  }

  async #note(message: string): Promise<void> {
    if (!this.#isQuiet) await note(message)
  }
}

/** Prints a line on standard error, with its hidden characters as escapes. */
export async function note(message: string): Promise<void> {
  const { stderr } = process
  await write(stderr, `${styleText('dim', `fenced: ${visible(message)}`, { stream: stderr })}\n`)
}
