import type { CodeExecutor, ExecutionEvent } from '@fenced/core'
import { visibleJson } from '@fenced/core/text'
import type { ChosenExecutor } from '../choose/choose-executor.ts'
import { write } from '../streams.ts'
import { type RunEvent, runEventVersion } from './run-event.ts'

/** Prints every event as a line of JSON: see {@link RunEvent}. */
export class LinePrinter {
  begin({ name, capabilities: { isolation, network } }: CodeExecutor, { by, reason }: ChosenExecutor): void {
    const where = { executor: name, isolation, network, chosen: { by, reason } }
    void this.#line({ type: 'run-start', version: runEventVersion, ...where })
  }

  print(event: ExecutionEvent): Promise<void> {
    return this.#line(event)
  }

  #line(event: RunEvent): Promise<void> {
    return write(process.stdout, `${visibleJson(event)}\n`)
  }
}
