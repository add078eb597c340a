import type { ExecutionEvent } from '@fenced/core'
import type { CellOutput } from './notebook.ts'

/** The outputs of a cell, of the events of its block. */
export class CellOutputs {
  #outputs: { output: CellOutput; displayId?: string | undefined }[] = []

  get list(): readonly CellOutput[] {
    return this.#outputs.map(({ output }) => output)
  }

  take(event: ExecutionEvent): void {
    switch (event.type) {
      case 'stdout':
      case 'stderr':
        this.#write(event.type, event.text)
        return
      case 'result':
        this.#show(event)
        return
      case 'clear':
        this.#outputs = []
        return
      case 'block-end':
        if (event.result.status === 'error') this.#markError()
        else if (event.result.status !== 'ok') this.#explain(event.result)
        return
    }
  }

  #write(name: 'stdout' | 'stderr', text: string): void {
    const last = this.#outputs.at(-1)?.output
    // A traceback is one piece, and stays one.
    const isTraceback = name === 'stderr' && isErrorText(text)
    if (last?.output_type === 'stream' && last.name === name && !isTraceback) last.text += text
    else this.#outputs.push({ output: { output_type: 'stream', name, text } })
  }

  #show({ result, displayId }: Extract<ExecutionEvent, { type: 'result' }>): void {
    const output = { output_type: 'display_data', data: result, metadata: {} } as const
    const shown = this.#outputs.find((each) => displayId !== undefined && each.displayId === displayId)
    if (shown === undefined) this.#outputs.push({ output, displayId })
    else shown.output = output
  }

  /** The text of an exception becomes an output of type `error`. */
  #markError(): void {
    const last = this.#outputs.at(-1)
    if (last?.output.output_type !== 'stream' || last.output.name !== 'stderr') return
    const traceback = last.output.text.trimEnd().split('\n')
    const [, ename = 'Error', evalue = ''] = errorLine.exec(traceback.at(-1) ?? '') ?? []
    last.output = { output_type: 'error', ename, evalue, traceback }
  }

  #explain({ status, notices }: { status: string; notices: readonly { message: string }[] }): void {
    const evalue = notices.at(-1)?.message ?? ''
    const traceback = [evalue === '' ? status : `${status}: ${evalue}`]
    this.#outputs.push({ output: { output_type: 'error', ename: status, evalue, traceback } })
  }
}

/** The last line of a traceback. */
const errorLine = /^([A-Za-z_][\w.]*)(?:: (.*))?$/

function isErrorText(text: string): boolean {
  const lines = text.trimEnd().split('\n')
  return lines.length > 1 && errorLine.test(lines.at(-1) ?? '')
}
