import type { ExecutionEvent, Notice } from '@fenced/core'
import type { CellOutput } from './notebook.ts'
import { readTraceback } from './traceback.ts'

type BlockEnd = Extract<ExecutionEvent, { type: 'block-end' }>
type ResultEvent = Extract<ExecutionEvent, { type: 'result' }>

/** The outputs of a cell, of the events of its block. */
export class CellOutputs {
  #outputs: { output: CellOutput; displayId?: string | undefined }[] = []
  readonly #notices: Notice[] = []

  get list(): readonly CellOutput[] {
    return this.#outputs.map(({ output }) => output)
  }

  get notices(): readonly Notice[] {
    return this.#notices
  }

  take(event: ExecutionEvent): void {
    switch (event.type) {
      case 'stdout':
      case 'stderr':
        this.write(event.type, event.text)
        return
      case 'result':
        this.#show(event)
        return
      case 'clear':
        this.#outputs = []
        return
      case 'notice':
        this.#notices.push(event.notice)
        return
      case 'block-end':
        this.#end(event)
        return
      case 'block-start':
      case 'file':
      case 'connection':
      case 'tool-call':
      case 'tool-result':
      case 'approval-requested':
      case 'approval-answered':
      case 'execution-end':
        return
      default:
        event satisfies never
    }
  }

  write(name: 'stdout' | 'stderr', text: string): void {
    const last = this.#outputs.at(-1)?.output
    if (last?.output_type === 'stream' && last.name === name) last.text += text
    else this.#outputs.push({ output: { output_type: 'stream', name, text } })
  }

  #show({ result, displayId, metadata = {} }: ResultEvent): void {
    const output = { output_type: 'display_data', data: result, metadata } as const
    const shown = this.#outputs.find((each) => displayId !== undefined && each.displayId === displayId)
    if (shown === undefined) this.#outputs.push({ output, displayId })
    else shown.output = output
  }

  #end({ result: { status } }: BlockEnd): void {
    // Late output is that of another cell.
    const notices = this.#notices.filter(({ code }) => code !== 'late-output')
    const reason = status === 'ok' || status === 'error' ? undefined : notices.pop()
    if (status === 'error') this.#markError()
    for (const { message } of notices) this.write('stderr', `fenced: ${message}\n`)
    if (status === 'ok' || status === 'error') return
    const evalue = reason?.message ?? ''
    const traceback = [evalue === '' ? status : `${status}: ${evalue}`]
    this.#outputs.push({ output: { output_type: 'error', ename: status, evalue, traceback } })
  }

  /** The text of an exception becomes an output of type `error`. */
  #markError(): void {
    const last = this.#outputs.at(-1)?.output
    if (last?.output_type !== 'stream' || last.name !== 'stderr') return
    const { before, ename, evalue, traceback } = readTraceback(last.text)
    this.#outputs.pop()
    if (before !== '') this.write('stderr', before)
    this.#outputs.push({ output: { output_type: 'error', ename, evalue, traceback } })
  }
}
