import type { EventInit } from '../event.ts'
import type { ToolResponse } from '../message/tool-parts.ts'
import type { OpenQuestion } from '../open-question.ts'
import type { RunContext } from './run-with-events.ts'
import type { SavedTurn } from './saved-questions.ts'

/** The questions of a run that have no answer yet, and what tools have answered meanwhile: what a state keeps of a turn. */
export class OpenQuestions {
  readonly #questions = new Map<string, OpenQuestion>()
  #toolResponses: ToolResponse[] = []
  #replies: SavedTurn['replies'][number][] = []
  #isAnswered = false

  /** Whether a question has its answer. */
  get isAnswered(): boolean {
    return this.#isAnswered
  }

  /** The turn, as a state keeps it; `undefined` if no question is open. */
  get turn(): SavedTurn | undefined {
    if (this.#questions.size === 0) return undefined
    const questions = [...this.#questions.values()]
    const [toolResponses, replies] = [this.#toolResponses, this.#replies]
    return structuredClone({ questions, areDenied: false, toolResponses, replies })
  }

  clear(): void {
    this.#questions.clear()
    this.#toolResponses = []
    this.#replies = []
    this.#isAnswered = false
  }

  /** The same run, whose questions are known here. */
  following<Run extends RunContext>(run: Run): Run {
    return {
      ...run,
      emit: (event) => {
        this.#follow(event)
        return run.emit(event)
      },
    }
  }

  #follow(event: EventInit): void {
    const { agent } = event
    switch (event.type) {
      case 'human-input-requested':
        this.#questions.set(event.request.id, { agent, request: event.request })
        break
      case 'approval-requested': {
        const { request } = event
        // A question of a running program ends with the program.
        if (request.kind === 'code' || (request.kind === 'tool' && request.blockIndex === undefined))
          this.#questions.set(request.id, { agent, request })
        break
      }
      case 'tool-end':
        this.#toolResponses.push(event.response)
        break
      case 'tool-calls':
      case 'tool-results':
        this.#toolResponses = []
        break
      case 'message':
        this.#replies = []
        break
      case 'human-input-answered': {
        const { kind = '' } = this.#questions.get(event.requestId)?.request ?? {}
        this.#replies.push({ agent, kind, text: event.text })
        this.#close(event)
        break
      }
      case 'approval-answered':
        this.#close(event)
        break
    }
  }

  #close({ requestId }: { readonly requestId: string }): void {
    this.#questions.delete(requestId)
    this.#isAnswered = true
  }
}
