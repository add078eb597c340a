import type { ExecutionEvent, Notice, ProgramError } from '@fenced/core'
import type { Displays } from './displays.ts'
import type { CellOutput } from './notebook.ts'

type BlockEnd = Extract<ExecutionEvent, { type: 'block-end' }>

/** The outputs of a cell, of the events of its block. */
export class CellOutputs {
  readonly #executionCount: number
  readonly #displays: Displays
  #outputs: CellOutput[] = []
  readonly #notices: Notice[] = []

  constructor(executionCount: number, displays: Displays) {
    this.#executionCount = executionCount
    this.#displays = displays
  }

  get list(): readonly CellOutput[] {
    return this.#outputs
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
        this.#add(this.#displays.show(event, this.#executionCount))
        return
      case 'clear':
        this.#displays.remove(this.#outputs)
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
      case 'approval-withdrawn':
      case 'execution-end':
        return
      default:
        event satisfies never
    }
  }

  write(name: 'stdout' | 'stderr', text: string): void {
    const last = this.#outputs.at(-1)
    if (last?.output_type === 'stream' && last.name === name) last.text += text
    else this.#add({ output_type: 'stream', name, text })
  }

  #add(output: CellOutput | undefined): void {
    if (output !== undefined) this.#outputs.push(output)
  }

  #end({ result: { status, exitCode, error } }: BlockEnd): void {
    // Late output is that of another cell.
    const notices = this.#notices.filter(({ code }) => code !== 'late-output')
    const reason = status === 'ok' || status === 'error' ? undefined : notices.pop()
    if (status === 'error') this.#addError(error, exitCode)
    for (const { message } of notices) this.write('stderr', `fenced: ${message}\n`)
    if (status === 'ok' || status === 'error') return
    const evalue = reason?.message ?? ''
    const traceback = [evalue === '' ? status : `${status}: ${evalue}`]
    this.#add({ output_type: 'error', ename: status, evalue, traceback })
  }

  /** The text of an error moves from stderr to an output of type `error`. */
  #addError(error: ProgramError | undefined, exitCode: number): void {
    const { name, message, text } = error ?? {
      name: 'ExitCode',
      message: `${exitCode}`,
      text: `exit code ${exitCode}`,
    }
    const last = this.#outputs.at(-1)
    const start = last?.output_type === 'stream' && last.name === 'stderr' ? last.text.lastIndexOf(text) : -1
    if (last?.output_type === 'stream' && start !== -1) {
      this.#outputs.pop()
      const rest = last.text.slice(0, start) + last.text.slice(start + text.length).trimStart()
      if (rest.trim() !== '') this.write('stderr', rest)
    }
    this.#add({ output_type: 'error', ename: name, evalue: message, traceback: text.split('\n') })
  }
}
