import type { ExecutionEvent } from '@fenced/core'
import type { CellOutput, Shown } from './notebook.ts'

type ResultEvent = Extract<ExecutionEvent, { type: 'result' }>

/**
 * The displays of a notebook that have an id. Showing one, in any cell, changes all that are there with its id, as in nbclient
 * (`NotebookClient.process_message`).
 */
export class Displays {
  readonly #shown = new Map<string, Set<Shown>>()

  /** @returns the new output; `undefined` for an update, which adds none. */
  show(event: ResultEvent, executionCount: number): Shown | undefined {
    const content = { data: event.result, metadata: event.metadata ?? {} }
    const same = this.#named(event.displayId)
    for (const each of same) Object.assign(each, content)
    if (event.isUpdate === true) return undefined
    const shown: Shown =
      event.executionCount === undefined
        ? { output_type: 'display_data', ...content }
        : { output_type: 'execute_result', execution_count: executionCount, ...content }
    same.add(shown)
    return shown
  }

  /** A cell has cleared these. */
  remove(outputs: readonly CellOutput[]): void {
    for (const output of outputs) for (const same of this.#shown.values()) same.delete(output as Shown)
  }

  #named(displayId: string | undefined): Set<Shown> {
    if (displayId === undefined) return new Set()
    // Other displays of an id in one block have a number after it.
    const id = displayId.replace(/\0\d+$/, '')
    const same = this.#shown.get(id) ?? new Set()
    this.#shown.set(id, same)
    return same
  }
}
